/** How much a key is used, in a sentence, for pages on which a member decides about it. */
import type { KeyView } from '../../management/keys/key-view.js';
import type { PageContext } from '../http/page-context.js';
import { type Html, html } from './html.js';
import { timeAgo } from './times.js';
import { formatCount } from './usage-chart.js';

/** `It was last used 4 minutes ago, and had 112,630 accepted requests in the last 30 days.` */
export async function recentUse({ site, member, now }: PageContext, { id, lastUsedAt }: KeyView): Promise<Html> {
  const { accepted } = (await site.management.recentUsage(member, [id])).get(id) ?? { accepted: 0 };
  if (lastUsedAt === null) return html`It was never used.`;
  const requests = `${formatCount(accepted)} accepted ${accepted === 1 ? 'request' : 'requests'}`;
  return html`It was last used ${timeAgo(lastUsedAt, now)}, and had ${requests} in the last 30 days.`;
}
