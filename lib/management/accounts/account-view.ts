/** Converts the database row of an account to the object that the operator gets. */
import { parseList, parseNames } from '../../store/json-columns.js';
import type { AccountRow } from '../../store/tables.js';
import type { AccountEntitlement } from '../entitlement.js';

/** An account. It has keys, and limits which APIs, scopes, channels and platforms its keys can have. */
export interface Account extends AccountEntitlement {
  readonly id: string;
  readonly createdAt: Date;
  /** When the account was disabled; `null` if it is not. All keys of a disabled account are refused. */
  readonly disabledAt: Date | null;
  readonly version: number;
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    ...toAccountEntitlement(row),
    createdAt: new Date(row.created_at),
    disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at),
    version: row.version,
  };
}

export function toAccountEntitlement({ apis, scopes, channels, platforms }: AccountRow): AccountEntitlement {
  return {
    apis: parseList(apis),
    scopes: parseNames(scopes),
    channels: parseList(channels),
    platforms: parseNames(platforms),
  };
}
