/**
 * Reads the audit log with the filters of a request. The filter `subject` is the ID of a key, or a part of the name, ID
 * or hint of several keys.
 */
import type { AuditEntry, AuditListFilter } from '../../management/audit-log/read-audit-log.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { cursorOf, type Page as ListPage, readLimit } from '../../management/pagination.js';
import { endOfDay, startOfDay } from '../forms/parse-day.js';
import type { PageContext } from '../http/page-context.js';
import { filtersIn } from '../http/query-string.js';
import { ACCESS_KEYS, API_KEYS, type KeyType } from '../key-type.js';

export const AUDIT_FILTERS: readonly string[] = ['from', 'to', 'actor', 'action', 'subject'];

/** Maximum keys whose entries are listed together. Each key needs one query. */
export const MAX_FOUND_KEYS = 20;

/**
 * Minimum number of entries that are read of each key, if a page merges the entries of several keys. The next page
 * starts with an earlier millisecond. If a key had more entries in one millisecond than were read, some would never be
 * shown.
 */
const MIN_MERGED = 50;

type Entries = ListPage<AuditEntry>;

export interface AuditReader {
  /** The keys that the filter `subject` finds; `undefined` without this filter, or if it is a complete ID. */
  readonly found: readonly KeyView[] | undefined;
  /** Whether the filter finds more keys than `MAX_FOUND_KEYS`. Then no entries are read. */
  readonly hasTooMany: boolean;
  read(after: string | undefined, limit: number | undefined): Promise<Entries>;
}

/** @throws ManagementError `invalid` for a filter that is not valid. */
export async function auditReader(context: PageContext): Promise<AuditReader> {
  const { site, member } = context;
  const { subject, ...filter } = auditFilterIn(context);
  const readSubject = (id: string | undefined, after: string | undefined, limit: number | undefined) =>
    site.management.audit(member, { ...filter, subject: id, after, limit });

  if (subject === undefined || (await site.management.audit(member, { subject, limit: 1 })).items.length > 0) {
    const read: AuditReader['read'] = (after, limit) => readSubject(subject, after, limit);
    return { found: undefined, hasTooMany: false, read };
  }

  const found = await findKeys(context, subject);
  const hasTooMany = found.length > MAX_FOUND_KEYS;
  const ids = hasTooMany ? [] : found.map(({ id }) => id);
  return {
    found,
    hasTooMany,
    async read(after, limit) {
      const [first, ...others] = ids;
      // If no key was found, this query finds no entry, but management still validates the other filters.
      if (first === undefined || others.length === 0) return await readSubject(first ?? subject, after, limit);
      const size = Math.max(readLimit(limit), MIN_MERGED);
      return mergePages(await Promise.all(ids.map((id) => readSubject(id, after, size))), size);
    },
  };
}

function auditFilterIn({ fields }: PageContext): AuditListFilter {
  const { from, to, ...texts } = filtersIn(fields, AUDIT_FILTERS);
  return {
    ...texts,
    from: from === undefined ? undefined : startOfDay('from', from),
    to: to === undefined ? undefined : endOfDay('to', to),
  };
}

/**
 * Finds keys of both types by a text in their name, ID or hint. A list contains revoked keys only if `state` selects
 * them, so each type is listed twice.
 */
async function findKeys({ site, member }: PageContext, text: string): Promise<readonly KeyView[]> {
  const { keys, accessKeys } = site.management;
  const limit = MAX_FOUND_KEYS + 1;
  const pages = await Promise.all(
    [keys, accessKeys].flatMap((service) => [
      service.list(member, { text, limit }),
      service.list(member, { text, limit, state: 'revoked' }),
    ]),
  );
  return pages.flatMap(({ items }) => items);
}

/**
 * Merges the newest entries of several keys. The order of entries within one millisecond is not known here, so a page
 * must not end between two such entries. It leaves all entries of its last millisecond to the next page.
 */
function mergePages(pages: readonly Entries[], size: number): Entries {
  const items = pages.flatMap((page) => page.items).sort((one, other) => other.at.getTime() - one.at.getTime());
  if (items.length <= size && pages.every(({ next }) => next === null)) return { items, next: null };
  const [newest = 0, last = 0] = [items[0], items[size - 1]].map((entry) => entry?.at.getTime());
  const start = newest > last ? last + 1 : last;
  // No entry has the ID `-`. With an unknown ID in the cursor, the next page starts with the entries before `start`.
  return { items: items.filter(({ at }) => at.getTime() >= start), next: cursorOf({ time: start, id: '-' }) };
}

export async function subjectNames(
  { site, member }: PageContext,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const ids = entries.flatMap((entry) =>
    entry.subject === null || keyTypeOfEntry(entry) === undefined ? [] : [entry.subject],
  );
  return ids.length === 0 ? new Map() : await site.management.keyNames(member, [...new Set(ids)]);
}

/**
 * The type of key that the action of an entry is for: `key.…` or `access_key.…`; `undefined` for other actions. The ID
 * does not say the type, because imported keys keep their old IDs. A refused operation may name a key of the other type,
 * for example because `accessKeys.view` was called with the ID of an API key.
 */
export function keyTypeOfEntry({ action }: Pick<AuditEntry, 'action'>): KeyType | undefined {
  if (action.startsWith('key.')) return API_KEYS;
  return action.startsWith('access_key.') ? ACCESS_KEYS : undefined;
}
