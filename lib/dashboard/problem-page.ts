/** What cannot be done with a key, told where the member can go on. */
import { ManagementError, type ManagementErrorCode } from '../management/management-error.js';
import { answerPage } from './answer.js';
import { refusalOf } from './error-page.js';
import { html } from './html.js';
import { layout } from './layout.js';
import type { Sort } from './sort.js';
import { idIn, type Page, type Visit } from './visit.js';

/** What a member can mend, or need not. The rest is the same page for everybody. */
const TOLD: readonly ManagementErrorCode[] = ['invalid', 'version_conflict', 'revoked', 'idempotency_conflict'];

/** The same page; where management refuses what was asked, it says why and leads back. */
export function mendable(sort: Sort, page: Page): Page {
  return async (visit) => {
    try {
      return await page(visit);
    } catch (error) {
      if (!(error instanceof ManagementError) || !TOLD.includes(error.code)) throw error;
      const { status, title, message } = refusalOf(error);
      const main = html`<h1>${title}</h1>
<p role="alert">${message} Nothing was changed.</p>
<p><a class="button" href="${visit.base}${wayBack(sort, visit)}">Look at it again</a></p>`;
      return answerPage(status, layout(visit, { title, tab: sort.name, main }));
    }
  };
}

function wayBack(sort: Sort, visit: Visit): string {
  const id = idIn(visit);
  return id === '' ? sort.list : `${sort.path}/${encodeURIComponent(id)}`;
}
