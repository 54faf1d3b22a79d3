/** The audit log as a CSV file, which is read page by page while it is sent. */
import type { AuditEntry } from '../../management/audit-log/audit-log.js';
import { csvLine } from '../http/csv.js';
import type { Page, PageContext } from '../http/page-context.js';
import { auditFilterIn } from './audit-page.js';

const PAGE_SIZE = 200;
/** Maximum entries of one file; the next file continues from the place in its address. */
const MAX_ENTRIES = 10_000;

const COLUMNS = ['at', 'actor', 'role', 'action', 'outcome', 'subject', 'before', 'after', 'origin', 'id'];

export const auditCsv: Page = async (context) => {
  // The first page is read before the response starts, so that an error gets a normal error page.
  // The form sends its page size too: it is checked, and does not limit the file.
  const { after, limit } = auditFilterIn(context);
  const first = await readPage(context, after, limit);
  return {
    status: 200,
    headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': 'attachment; filename="audit.csv"' },
    body: linesOf(context, first),
  };
};

async function* linesOf(context: PageContext, first: Awaited<ReturnType<typeof readPage>>): AsyncGenerator<string> {
  let page = first;
  yield csvLine(COLUMNS);
  for (let sent = page.items.length; ; sent += page.items.length) {
    yield page.items.map(lineOf).join('');
    if (page.next === null || sent >= MAX_ENTRIES) return;
    page = await readPage(context, page.next);
  }
}

function readPage(context: PageContext, after: string | undefined, limit = PAGE_SIZE) {
  return context.site.management.audit(context.member, { ...auditFilterIn(context), after, limit });
}

function lineOf({ at, actor, role, action, outcome, subject, before, after, origin, id }: AuditEntry): string {
  const [was, is] = [before, after].map((fields) => (fields === null ? '' : JSON.stringify(fields)));
  return csvLine([
    at.toISOString(),
    actor,
    role ?? '',
    action,
    outcome,
    subject ?? '',
    was ?? '',
    is ?? '',
    origin ?? '',
    id,
  ]);
}
