/**
 * Sentences that say when a key, a secret or a public key was last used. A use is stored up to a minute late. So a page
 * that asks for a decision mentions this delay if no use is stored.
 */
import type { KeyView, SecretView } from '../../management/keys/key-view.js';
import type { PageContext } from '../http/page-context.js';
import { type Html, html } from './html.js';
import { timeAgo, timeWithAge } from './times.js';
import { formatCount, USAGE_DELAY } from './usage-section.js';

type Use = Pick<SecretView, 'lastUsedAt' | 'lastUsedFrom'>;

/** `The key was last used 4 minutes ago. In the last 30 days, 112,630 requests were accepted.` */
export async function recentUse({ site, member, now }: PageContext, { id, lastUsedAt }: KeyView): Promise<Html> {
  const { accepted } = (await site.management.recentUsage(member, [id])).get(id) ?? { accepted: 0 };
  if (lastUsedAt === null) return html`The key has never been used. ${USAGE_DELAY}`;
  const requests = accepted === 1 ? '1 request was' : `${formatCount(accepted)} requests were`;
  return html`The key was last used ${timeAgo(lastUsedAt, now)}. In the last 30 days, ${requests} accepted.`;
}

/** The last use, in a panel whose heading already names the secret or public key. */
export function lastUse(use: Use, now: number): Html {
  if (use.lastUsedAt === null) return html`Never used.`;
  return html`Last used on ${timeAndPlace(use, use.lastUsedAt, now)}.`;
}

/** The last use, as a sentence with a subject. Without the subject, a member could think of another secret or key. */
export function lastUseOf(subject: Html, use: Use, now: number): Html {
  if (use.lastUsedAt === null) return html`${subject} has never been used. ${USAGE_DELAY}`;
  return html`${subject} was last used on ${timeAndPlace(use, use.lastUsedAt, now)}.`;
}

function timeAndPlace({ lastUsedFrom }: Use, at: Date, now: number): Html {
  return html`${timeWithAge(at, now)}${lastUsedFrom !== null && html` from <bdi>${lastUsedFrom}</bdi>`}`;
}
