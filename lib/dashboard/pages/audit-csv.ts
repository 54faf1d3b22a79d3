/** The audit log as a CSV file, which is read page by page while it is sent. */
import type { AuditEntry } from '../../management/audit-log/audit-log.js';
import { csvLine } from '../http/csv.js';
import { badRequest } from '../http/http-error.js';
import type { Page, PageContext } from '../http/page-context.js';
import { limitIn } from '../http/query-string.js';
import { withoutWholeSecret } from '../http/whole-secret.js';
import { AUDIT_QUERY, TOO_MANY_KEYS } from './audit-page.js';
import { type AuditReader, auditReader, subjectNames } from './audit-reader.js';

const PAGE_SIZE = 200;
/** Maximum entries of one file; the next file continues from the place in its address. */
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

export const auditCsv: Page = withoutWholeSecret('/audit.csv', AUDIT_QUERY, 'subject', async (context) => {
  // The first page is read before the response starts, so that an error gets a normal error page.
  // The form sends its page size too: it is checked, and does not limit the file.
  const { fields, member, now } = context;
  const reader = await auditReader(context);
  if (reader.hasTooMany) throw badRequest(TOO_MANY_KEYS);
  const first = await reader.read(fields.one('after'), limitIn(fields) ?? PAGE_SIZE);
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName(member.account, now)}"`,
    },
    body: linesOf(context, reader, first),
  };
});

/** `audit-acme-2026-11-23.csv`. Some file systems accept no colon, which the ID of an account can have. */
function fileName(account: string, now: number): string {
  const safe = account.replaceAll(/[^\w.-]/g, '-');
  return `audit-${safe}-${new Date(now).toISOString().slice(0, 10)}.csv`;
}

async function* linesOf(
  context: PageContext,
  reader: AuditReader,
  first: Awaited<ReturnType<AuditReader['read']>>,
): AsyncGenerator<string> {
  let page = first;
  yield csvLine(COLUMNS);
  for (let sent = page.items.length; ; sent += page.items.length) {
    const names = await subjectNames(context, page.items);
    yield page.items.map((entry) => lineOf(entry, names)).join('');
    if (page.next === null || sent >= MAX_ENTRIES) return;
    page = await reader.read(page.next, PAGE_SIZE);
  }
}

function lineOf(
  { at, actor, role, action, outcome, subject, before, after, origin, id }: AuditEntry,
  names: ReadonlyMap<string, string>,
): string {
  const [was, is] = [before, after].map((fields) => (fields === null ? '' : JSON.stringify(fields)));
  return csvLine([
    at.toISOString(),
    actor,
    role ?? '',
    action,
    outcome,
    subject ?? '',
    names.get(subject ?? '') ?? '',
    was ?? '',
    is ?? '',
    origin ?? '',
    id,
  ]);
}
