/** Times, as people read them: how long ago, with the instant beside it. */
import { type Html, html } from './html.js';

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const DAY = 86_400_000;
const UNITS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `21 Nov 2026, 18:44 UTC` */
export function exactly(time: Date): string {
  return `${EXACT.format(time)} UTC`;
}

/** `3 minutes ago`, `in 12 days`: what has passed in whole units, what is to come to the nearest, as it was chosen. */
function relatively(time: Date, now: number): string {
  const ahead = time.getTime() - now;
  const count = ahead > 0 ? Math.round : Math.trunc;
  for (const [unit, length] of UNITS) {
    if (Math.abs(ahead) >= length) return RELATIVE.format(count(ahead / length), unit);
  }
  return 'just now';
}

/** How long ago, or how soon. The instant is there for the pointer; pages of one key have it in full. */
export function ago(time: Date, now: number): Html {
  return html`<time datetime="${time.toISOString()}" title="${exactly(time)}">${relatively(time, now)}</time>`;
}

/** The instant, and how long ago that is. */
export function exact(time: Date, now: number): Html {
  return html`<time datetime="${time.toISOString()}">${exactly(time)}</time> <span class="muted">(${relatively(time, now)})</span>`;
}
