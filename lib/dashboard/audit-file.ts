/** The audit as a file, read page by page as it is sent. */
import type { AuditEntry } from '../management/audit-log.js';
import { auditFilterIn } from './audit-page.js';
import { csvLine } from './csv.js';
import type { Page, Visit } from './visit.js';

const PAGE = 200;
/** Entries of one file; the next one goes on from where the address says. */
const MOST = 10_000;

const COLUMNS = ['at', 'actor', 'role', 'action', 'outcome', 'subject', 'before', 'after', 'origin', 'id'];

export const auditFile: Page = async (visit) => {
  // The first page is read before the answer begins: what cannot be read is refused as on any other page.
  const first = await readPage(visit, auditFilterIn(visit).after);
  return {
    status: 200,
    headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': 'attachment; filename="audit.csv"' },
    body: linesOf(visit, first),
  };
};

async function* linesOf(visit: Visit, first: Awaited<ReturnType<typeof readPage>>): AsyncGenerator<string> {
  let page = first;
  yield csvLine(COLUMNS);
  for (let sent = page.items.length; ; sent += page.items.length) {
    yield page.items.map(lineOf).join('');
    if (page.next === null || sent >= MOST) return;
    page = await readPage(visit, page.next);
  }
}

function readPage(visit: Visit, after: string | undefined) {
  return visit.site.management.audit(visit.member, { ...auditFilterIn(visit), after, limit: PAGE });
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
