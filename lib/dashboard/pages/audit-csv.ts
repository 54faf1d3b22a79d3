/** Exports the audit log as a CSV file. The entries are read page by page while the file is sent. */
import { setImmediate } from 'node:timers/promises';
import type { AuditEntry } from '../../management/audit-log/read-audit-log.js';
import { readLimit } from '../../management/pagination.js';
import { badRequest } from '../http/http-error.js';
import type { Page, PageContext } from '../http/page-context.js';
import { limitIn } from '../http/query-string.js';
import { redirectWholeSecret } from '../http/secret-in-search.js';
import { AUDIT_QUERY, TOO_MANY_KEYS } from './audit-page.js';
import { type AuditReader, auditReader, subjectNames } from './audit-reader.js';
import { csvLine } from './csv-line.js';

/** Entries that are read at once. An entry may have some 100 KB, and other requests wait while a page is parsed. */
const PAGE_SIZE = 20;
/** The same, if each page merges the entries of several keys: with less, most of what is read would be dropped. */
const MERGED_PAGE_SIZE = 200;
/** Maximum entries of one file. To export older entries, a member opens a later page of the audit log. */
const MAX_ENTRIES = 10_000;

const COLUMNS = [
  'at',
  'actor',
  'role',
  'action',
  'outcome',
  'subject',
  'subject_name',
  'before',
  'after',
  'origin',
  'id',
];

export const auditCsv: Page = redirectWholeSecret('/audit.csv', AUDIT_QUERY, 'subject', async (context) => {
  // The first entries are read before the response starts, so that an error page can still be sent. The form also sends
  // `limit`, the page size of the audit log. It is validated, but it does not limit the file.
  const { fields, member, now } = context;
  const reader = await auditReader(context);
  if (reader.hasTooMany) throw badRequest(TOO_MANY_KEYS);
  readLimit(limitIn(fields));
  const size = (reader.found?.length ?? 0) > 1 ? MERGED_PAGE_SIZE : PAGE_SIZE;
  const first = await reader.read(fields.one('after'), size);
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName(member.account, now)}"`,
    },
    body: csvLines(context, reader, first, size),
  };
});

/** `audit-acme-2026-11-23.csv`. The ID of an account may contain a colon, which some file systems do not accept. */
function fileName(account: string, now: number): string {
  const safe = account.replaceAll(/[^\w.-]/g, '-');
  return `audit-${safe}-${new Date(now).toISOString().slice(0, 10)}.csv`;
}

async function* csvLines(
  context: PageContext,
  reader: AuditReader,
  first: Awaited<ReturnType<AuditReader['read']>>,
  size: number,
): AsyncGenerator<string> {
  let page = first;
  yield csvLine(COLUMNS);
  for (let left = MAX_ENTRIES; ; ) {
    // Pages with entries of several keys differ in size, so the last page may have more entries than the file may take.
    const items = page.items.slice(0, left);
    const names = await subjectNames(context, items);
    for (const entry of items) {
      yield toCsvLine(entry, names);
      // A store in memory and a fast connection never make this function wait. Other requests would then wait for the
      // whole file.
      await setImmediate();
    }
    left -= items.length;
    if (page.next === null || left === 0) return;
    page = await reader.read(page.next, size);
  }
}

function toCsvLine(
  { at, actor, role, action, outcome, subject, before, after, origin, id }: AuditEntry,
  names: ReadonlyMap<string, string>,
): string {
  const [oldFields, newFields] = [before, after].map((fields) => (fields === null ? '' : JSON.stringify(fields)));
  return csvLine([
    at.toISOString(),
    actor,
    role ?? '',
    action,
    outcome,
    subject ?? '',
    names.get(subject ?? '') ?? '',
    oldFields ?? '',
    newFields ?? '',
    origin ?? '',
    id,
  ]);
}
