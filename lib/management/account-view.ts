/** An account as the operator sees it. */
import { listOf, namesOf } from '../store/stored-lists.js';
import type { AccountRow } from '../store/tables.js';
import type { AccountReach } from './reach.js';

/** The holder that keys act for: what it has bounds what its keys can hold. */
export interface Account extends AccountReach {
  readonly id: string;
  readonly createdAt: Date;
  /** Since when none of its keys is taken; `null` while they are. */
  readonly disabledAt: Date | null;
  readonly version: number;
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    ...accountReachOf(row),
    createdAt: new Date(row.created_at),
    disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at),
    version: row.version,
  };
}

export function accountReachOf({ apis, scopes, channels, platforms }: AccountRow): AccountReach {
  return { apis: listOf(apis), scopes: namesOf(scopes), channels: listOf(channels), platforms: namesOf(platforms) };
}
