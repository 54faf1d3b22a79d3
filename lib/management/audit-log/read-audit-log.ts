/** Lists the entries of the audit log, for members and for the operator. */
import { types } from 'node:util';
import type { CredentialStore } from '../../store/credential-store.js';
import { parseOptional } from '../../store/json-columns.js';
import type { ListedAuditRow } from '../../store/repository/repository.js';
import { type Given, readGiven, readText } from '../fields.js';
import { invalid } from '../management-error.js';
import { mapStoreErrors } from '../map-store-errors.js';
import type { Member } from '../member.js';
import { type Page, pageOf, readAfter, readLimit } from '../pagination.js';
import type { Operations } from './audited-operation.js';

/** An entry of the audit log: an operation that was carried out or refused. It never contains a credential. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly account: string;
  readonly actor: string;
  /**
   * The highest permission of the actor, or `operator`; `null` for an actor without permissions, such as the issuer.
   */
  readonly role: string | null;
  /** The name of the operation: `key.create`, `access_key.edit`, `account.put`, … */
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  /**
   * The id of the key, account or signing key that the operation changed or was refused for. `null` if it concerns none
   * of them, or if the id in the request may have been a credential.
   */
  readonly subject: string | null;
  /** The values of the changed fields before the change; `null` if there were none. */
  readonly before: unknown;
  /**
   * The values of the changed fields after the change; for a refused operation, the error code, as in `{ refused:
   * 'not_found' }`. Refusals with the same actor, action, key and code within a minute share one entry, which counts
   * them: `{ refused: 'not_found', count: 300 }`.
   */
  readonly after: unknown;
  /** The IP address of the actor; `null` if it is not known. */
  readonly origin: string | null;
}

/** Selects entries of the audit log of one account. A field that is absent excludes no entries. */
export interface AuditListFilter {
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Includes entries from this time on. */
  readonly from?: Date | undefined;
  /** Includes entries before this time. */
  readonly to?: Date | undefined;
  readonly after?: string | undefined;
  /** The page size, 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** Lists the audit log of the member's account, newest first. */
export type ListAudit = (member: Member, filter?: AuditListFilter) => Promise<Page<AuditEntry>>;

const FILTERS = ['subject', 'actor', 'action', 'from', 'to', 'after', 'limit'];

/**
 * Selects the audit log entries that the operator gets. Without `account`, the list has the entries of every account.
 */
export interface OperatorAuditFilter extends AuditListFilter {
  readonly account?: string | undefined;
}

/** Lists the audit log of one account or of every account, newest first. Only for the operator. */
export type ListOperatorAudit = (filter?: OperatorAuditFilter) => Promise<Page<AuditEntry>>;

export function operatorAuditOf(store: CredentialStore): ListOperatorAudit {
  return async (given = {}) => await pageOfAudit(store, readGiven(given, ['account', ...FILTERS]));
}

export function auditOf(operations: Operations, store: CredentialStore): ListAudit {
  return async (member, given = {}) => {
    return await operations.read(member, { action: 'audit', name: 'audit.list', subject: undefined }, async (actor) => {
      return await pageOfAudit(store, { ...readGiven(given, FILTERS), account: actor.member.account });
    });
  };
}

async function pageOfAudit({ repository }: CredentialStore, filter: Given): Promise<Page<AuditEntry>> {
  const limit = readLimit(filter.limit);
  const text = (field: string) => (filter[field] === undefined ? undefined : readText(field, filter[field]));
  const [account, subject, actor, action] = [text('account'), text('subject'), text('actor'), text('action')];
  const [from, to] = [readDate('from', filter.from), readDate('to', filter.to)];
  const after = readAfter(filter.after);
  const rows = await mapStoreErrors(() =>
    repository.audit({ account, subject, actor, action, from, to, after, limit: limit + 1 }),
  );
  return pageOf(rows, limit, ({ at, id }) => ({ time: at, id }), entryOf);
}

function readDate(field: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const time = types.isDate(value) ? value.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw invalid(field, 'expected a Date');
  return time;
}

function entryOf({ refusals, ...row }: ListedAuditRow): AuditEntry {
  const after = parseOptional<object>(row.after);
  return {
    ...row,
    at: new Date(row.at),
    outcome: row.outcome === 'done' ? 'done' : 'refused',
    before: parseOptional<object>(row.before),
    after: refusals === null || refusals === 1 ? after : { ...after, count: refusals },
  };
}
