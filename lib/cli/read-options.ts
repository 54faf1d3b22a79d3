/** Reads what was typed. */
import { InvalidArgumentError } from 'commander';
import { secureUrl } from '../verify/secure-url.js';
import { CliError, EXIT } from './io.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds: what the management takes. */
const LONGEST_GRACE = 30 * 86_400;

/** `30m`, `24h`, `7d`: in seconds; `NaN` for another text. */
function secondsOf(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(amount) * (UNITS[unit] ?? Number.NaN);
}

/** `24h`, `7d`, up to `30d`; `0` is none. A number without a unit is refused: 7 was meant in days, and not in seconds. */
export function readGrace(text: string): number {
  const seconds = text === '0' ? 0 : secondsOf(text);
  if (Number.isNaN(seconds)) {
    const unit = /^\d+$/.test(text) ? `${text} of what? ` : '';
    throw new InvalidArgumentError(`${unit}Expected a duration with its unit, such as 90s, 30m, 24h or 7d; or 0.`);
  }
  if (seconds > LONGEST_GRACE) throw new InvalidArgumentError('Expected 30d at most: 30 days.');
  return seconds;
}

/** `2027-01-31`, `2027-01-31T12:00:00Z`, or `90d` from now. */
export function readTime(text: string): Date {
  const seconds = secondsOf(text);
  const time = Number.isNaN(seconds) ? new Date(text) : new Date(Date.now() + seconds * 1_000);
  const isTime = /^\d{4}-\d\d-\d\d/.test(text) || !Number.isNaN(seconds);
  if (!isTime || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('Expected a date, such as 2027-01-31, or a duration, such as 90d.');
  }
  return time;
}

/** Collects a repeated option; `all` stands alone. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** What was collected: `all` is every one. */
export function allOr(list: readonly string[] | undefined): 'all' | readonly string[] | undefined {
  if (list === undefined || !list.includes('all')) return list;
  if (list.length > 1) throw new CliError('"all" stands alone.', EXIT.usage);
  return 'all';
}

export function readUrl(text: string): string {
  if (secureUrl(text) === undefined)
    throw new InvalidArgumentError('Expected an https URL; http to this machine alone.');
  return text;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('Expected 0 to 65535.');
  return port;
}

export function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > 200) throw new InvalidArgumentError('Expected 1 to 200.');
  return limit;
}
