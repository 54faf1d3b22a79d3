/** Formats times for people, in UTC: exact times, days, expiries, and how long ago or how soon a time is. */
import { type Html, html } from './html.js';

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const LONG_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const WITH_NUMBER = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
/** Uses words such as `yesterday`. It formats only days, because `last month` could be 1 or 59 days ago. */
const WITH_WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const DAY = 86_400_000;
/**
 * Each unit, its length in milliseconds, and the smallest difference for which it is used. Months start at 60 days,
 * because `45 days ago` is clearer than `1 month ago`.
 */
const UNITS = [
  ['year', 365 * DAY, 365 * DAY],
  ['month', 30 * DAY, 60 * DAY],
  ['day', DAY, DAY],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
] as const;

/** `21 Nov 2026, 18:44 UTC` */
export function formatTime(time: Date): string {
  return `${EXACT.format(time)} UTC`;
}

/** `21 Nov`, for a day such as `2026-11-21`. */
export function formatDay(day: string): string {
  return SHORT_DAY.format(new Date(day));
}

/** `21 Feb 2027`, in UTC. */
export function formatLongDay(time: Date): string {
  return LONG_DAY.format(time);
}

/**
 * Formats an expiry. Midnight becomes `End of 21 Feb 2027, UTC`, because in forms a member chooses the last day of a
 * key. Any other time is shown exactly.
 */
export function formatExpiry(time: Date): string {
  return time.getTime() % DAY === 0 ? `End of ${formatLongDay(new Date(time.getTime() - 1))}, UTC` : formatTime(time);
}

/** Formats an expiry after "The key expires": `at the end of 21 Feb 2027, UTC`, or `on 21 Feb 2027, 18:44 UTC`. */
export function expiryInSentence(time: Date): string {
  const text = formatExpiry(time);
  return text.startsWith('End') ? `at the end${text.slice('End'.length)}` : `on ${text}`;
}

/**
 * Returns `3 minutes ago`, `in 12 days` or, for less than a minute, `just now`. Days are calendar days. Other units are
 * rounded down for a past time, and to the nearest unit for a future time.
 */
function relativeTime(time: Date, now: number): string {
  const ahead = time.getTime() - now;
  const count = ahead > 0 ? Math.round : Math.trunc;
  for (const [unit, length, from] of UNITS) {
    if (Math.abs(ahead) < from) continue;
    if (unit === 'day') return WITH_WORDS.format(calendarDays(time.getTime(), now), unit);
    return WITH_NUMBER.format(count(ahead / length), unit);
  }
  return 'just now';
}

/** The number of calendar days from now to a time, in UTC. A future midnight counts as the end of the day before. */
function calendarDays(time: number, now: number): number {
  if (time <= now) return Math.floor(time / DAY) - Math.floor(now / DAY);
  return Math.max(1, Math.floor((time - 1) / DAY) - Math.floor(now / DAY));
}

/** How long ago a time was, or how soon it is, with the exact time as a tooltip. `timeWithAge` shows both as text. */
export function timeAgo(time: Date, now: number): Html {
  return html`<time datetime="${isoMinute(time)}" title="${formatTime(time)}">${relativeTime(time, now)}</time>`;
}

export function dayWithTooltip(time: Date): Html {
  return html`<time datetime="${isoMinute(time)}" title="${formatTime(time)}">${SHORT_DAY.format(time)}</time>`;
}

export function timeWithAge(time: Date, now: number, format = formatTime): Html {
  return html`<time datetime="${isoMinute(time)}">${format(time)}</time> <span class="muted">(${relativeTime(time, now)})</span>`;
}

/** The time for programs. It has no seconds, like the visible text, which keeps the HTML of long lists small. */
function isoMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}
