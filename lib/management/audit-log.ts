/** Who did what when: read, never written from here. */
import type { CredentialStore } from '../store/credential-store.js';
import type { AuditRow } from '../store/tables.js';
import type { Acts } from './act.js';
import { readGiven, readText } from './fields.js';
import type { Member } from './member.js';
import { type Page, pageOf, readAfter, readLimit } from './pages.js';

/** One act, done or refused. It never holds a credential. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly account: string;
  readonly actor: string;
  /** The permission that the actor had, or `operator`. */
  readonly role: string | null;
  /** `key.create`, `access_key.edit`, `account.put`, … */
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  /** The id of what it was done to. */
  readonly subject: string | null;
  readonly before: unknown;
  readonly after: unknown;
  /** The address that the actor acted from. */
  readonly origin: string | null;
}

/** Which entries; absent: all of the account. */
export interface AuditListFilter {
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly after?: string | undefined;
  /** 1 to 200; 50. */
  readonly limit?: number | undefined;
}

/** Entries of the member's account, the newest first. */
export type ListAudit = (member: Member, filter?: AuditListFilter) => Promise<Page<AuditEntry>>;

const FILTERS = ['subject', 'actor', 'action', 'after', 'limit'];

export function auditOf(acts: Acts, store: CredentialStore): ListAudit {
  return async (member, given = {}) => {
    return await acts.look(member, { action: 'audit', name: 'audit.list', subject: undefined }, async (acting) => {
      const filter = readGiven(given, FILTERS);
      const limit = readLimit(filter.limit);
      const text = (field: string) => (filter[field] === undefined ? undefined : readText(field, filter[field]));
      const rows = await store.ledger.audit({
        account: acting.member.account,
        subject: text('subject'),
        actor: text('actor'),
        action: text('action'),
        after: readAfter(filter.after),
        limit: limit + 1,
      });
      return pageOf(rows, limit, ({ at, id }) => ({ time: at, id }), entryOf);
    });
  };
}

function entryOf(row: AuditRow): AuditEntry {
  return {
    ...row,
    at: new Date(row.at),
    outcome: row.outcome === 'done' ? 'done' : 'refused',
    before: fieldsOf(row.before),
    after: fieldsOf(row.after),
  };
}

function fieldsOf(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
