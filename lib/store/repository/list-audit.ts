/** Reads pages of the audit log for management. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Engine } from '../engine.js';
import type { Tables } from '../tables.js';
import { findPageInBatches } from './find-page-in-batches.js';
import { type Comparison, comparePair } from './keyset-condition.js';
import type { AuditFilter, ListedAuditRow, ListPlace } from './repository.js';

const AUDIT_COLUMNS = [
  ...(['audit.id', 'audit.at', 'audit.account', 'audit.actor', 'audit.role', 'audit.action'] as const),
  ...(['audit.outcome', 'audit.subject', 'audit.before', 'audit.after', 'audit.origin'] as const),
  'refusals.count as refusals',
] as const;

/** The place of an entry in the list: its time and, for entries with the same time, its number. */
interface AuditPlace {
  readonly at: number;
  readonly number: number;
}

export async function listAudit(
  db: Kysely<Tables>,
  filter: AuditFilter,
  { batch, hints }: Pick<Engine, 'batch' | 'hints'>,
): Promise<readonly ListedAuditRow[]> {
  const { account, subject, actor, action, from, to, after, limit } = filter;
  const filters = Object.entries({ subject, actor, action }).filter(([, value]) => value !== undefined);
  // For one account, there is an index for each filter. A query can use only one of them, so the first filter uses its
  // index, and the other filters check each row.
  const indexed = account === undefined ? undefined : filters[0];
  const others = filters.filter((one) => one !== indexed);

  function entriesAfter(place: AuditPlace | undefined) {
    const query = db.selectFrom('audit').leftJoin('refusals', 'refusals.entry', 'audit.id');
    // No index begins with the time. So the entries of all accounts are ordered by the primary key, `number`, which is
    // the order in which they were written, and the period is a filter that checks each row.
    if (account === undefined) {
      const ordered = query.orderBy('audit.number', 'desc');
      return place === undefined ? ordered : ordered.where('audit.number', '<', place.number);
    }
    const entries = inPeriod(query)
      .where('audit.account', '=', account)
      .orderBy('audit.at', 'desc')
      .orderBy('audit.number', 'desc');
    const filtered = indexed === undefined ? entries : entries.where(isIndexed(...indexed));
    return place === undefined ? filtered : filtered.where(compare('<', place));
  }

  function inPeriod<O>(query: SelectQueryBuilder<Tables, 'audit' | 'refusals', O>) {
    const since = from === undefined ? query : query.where('audit.at', '>=', from);
    return to === undefined ? since : since.where('audit.at', '<', to);
  }

  /** A hint makes the planner use the index of a filter. Only the index of subjects is preferred without a hint. */
  function isIndexed(name: string, value: unknown): RawBuilder<boolean> {
    const condition = sql<boolean>`${sql.ref(`audit.${name}`)} = ${value}`;
    return name === 'subject' ? condition : hints.unlikely(condition);
  }

  function compare(operator: Comparison, { at, number }: AuditPlace): RawBuilder<boolean> {
    return comparePair(['audit.at', 'audit.number'], operator, [at, number]);
  }

  return await findPageInBatches<ListedAuditRow, AuditPlace>(
    {
      async endOfBatch(place, size) {
        const query = entriesAfter(place).select(['audit.at', 'audit.number']);
        return await query
          .offset(size - 1)
          .limit(1)
          .executeTakeFirst();
      },
      async matching(place, end, most) {
        const entries = entriesAfter(place).select(AUDIT_COLUMNS);
        let query = account === undefined ? inPeriod(entries) : entries;
        for (const [name, value] of others) {
          const column = sql.ref(`audit.${name}`);
          query = query.where(sql<boolean>`${account === undefined ? column : hints.unindexed(column)} = ${value}`);
        }
        if (end !== undefined && account === undefined) query = query.where('audit.number', '>=', end.number);
        else if (end !== undefined) query = query.where(compare('>=', end));
        return await query.limit(most).execute();
      },
    },
    { after: after && (await auditPlaceOf(db, account, after)), limit, batch },
  );
}

/**
 * Returns the place of an entry. If no entry has this id, the number of the place is 0: a list of one account then
 * continues with the entries before `time`, and a list of all accounts ends.
 */
async function auditPlaceOf(
  db: Kysely<Tables>,
  account: string | undefined,
  { time, id }: ListPlace,
): Promise<AuditPlace> {
  let query = db.selectFrom('audit').select('number').where('id', '=', id);
  if (account !== undefined) query = query.where('account', '=', account);
  return { at: time, number: (await query.executeTakeFirst())?.number ?? 0 };
}
