/**
 * Parses the values of options, and collects the values of repeated options. For a wrong value it throws an
 * `InvalidArgumentError` or a `CliError` that says what was expected.
 */
import { InvalidArgumentError } from 'commander';
import { parseRateLimit, RATE_LIMIT_FORM, type RateLimit } from '../credentials/rate-limit.js';
import { secureUrl } from '../http/secure-url.js';
import { MAX_GRACE } from '../management/keys/secrets.js';
import { CliError, EXIT } from './cli-error.js';
import { parseIsoDate } from './parse-iso-date.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The maximum grace period as a text, such as `30d`. */
export const MAX_GRACE_TEXT = `${MAX_GRACE / 86_400}d`;

/** Converts a duration such as `30m`, `24h` or `7d` to seconds; `NaN` for any other text. */
function secondsOf(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(amount) * (UNITS[unit] ?? Number.NaN);
}

/**
 * Parses a grace period: `24h`, `7d`, up to `MAX_GRACE`, or `0` for none. A number without a unit is refused, because
 * people who type 7 mean days, not seconds.
 */
export function readGrace(text: string): number {
  const seconds = text === '0' ? 0 : secondsOf(text);
  if (Number.isNaN(seconds)) {
    const unit = /^\d+$/.test(text) ? `${text} has no unit; ` : '';
    throw new InvalidArgumentError(`${unit}expected 0, or a duration with a unit, such as 90s, 30m, 24h or 7d`);
  }
  if (seconds > MAX_GRACE) throw new InvalidArgumentError(`expected a duration of at most ${MAX_GRACE_TEXT}`);
  return seconds;
}

/**
 * Refuses an empty text, which a shell makes of an unset variable. It would remove the setting, or mean something else,
 * such as every address for `serve --host`.
 */
export function readText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected a text that is not empty');
  return text;
}

/** Parses a time: `2027-01-31`, `2027-01-31T12:00:00Z`, or a duration from now such as `90d`. */
export function readTime(text: string): Date {
  const seconds = secondsOf(text);
  const time = Number.isNaN(seconds) ? parseIsoDate(text) : new Date(Date.now() + seconds * 1_000);
  if (time === undefined) {
    throw new InvalidArgumentError(
      'expected a date, such as 2027-01-31 or 2027-01-31T12:00:00Z, or a duration, such as 90d',
    );
  }
  return time;
}

/**
 * Parses a time for a filter: a date, or a date with a time. A duration such as `7d` is refused, because it could mean
 * 7 days ago or in 7 days.
 */
export function readDateTime(text: string): Date {
  const time = parseIsoDate(text);
  if (time === undefined) throw new InvalidArgumentError('expected a date, such as 2027-01-31 or 2027-01-31T12:00:00Z');
  return time;
}

/** Parses a date without a time, in UTC. */
export function readDay(text: string): Date {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? parseIsoDate(text) : undefined;
  if (time === undefined) throw new InvalidArgumentError('expected a date, such as 2027-01-31');
  return time;
}

/**
 * Adds a value to the values of a repeated option.
 *
 * @param before - The values so far; `false` after the option that removes the setting, such as `--no-scope`.
 */
export function collect(value: string, before: readonly string[] | false | undefined): readonly string[] {
  return [...(before || []), value];
}

/** Adds a text `name=value` to the values of a repeated option. Each name may be given only once. */
export function collectMetadata(
  text: string,
  before: Readonly<Record<string, string>> | false | undefined,
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('expected NAME=VALUE, such as team=checkout');
  const name = text.slice(0, at);
  if (before && Object.hasOwn(before, name)) throw new InvalidArgumentError(`the metadata name ${name} is given twice`);
  // `Object.fromEntries` creates a property even for a name such as `__proto__`. `keyward/management` then refuses the
  // name.
  return Object.fromEntries([...Object.entries(before || {}), [name, text.slice(at + 1)]]);
}

/** Adds a rate limit such as `100/1m` to the values of a repeated option. */
export function collectLimits(text: string, before: readonly RateLimit[] | false | undefined): readonly RateLimit[] {
  const limit = parseRateLimit(text);
  if (limit === undefined) throw new InvalidArgumentError(`expected ${RATE_LIMIT_FORM}`);
  return [...(before || []), limit];
}

/** Returns the values of a repeated option, or `'all'` if the only value is `all`. */
export function allOr(option: string, list: readonly string[] | undefined): 'all' | readonly string[] | undefined {
  if (list === undefined || !list.includes('all')) return list;
  if (list.length > 1) throw new CliError(`${option}: "all" cannot be combined with other values`, EXIT.usage);
  return 'all';
}

export function readUrl(text: string): string {
  if (secureUrl(text) === undefined)
    throw new InvalidArgumentError(
      'expected an https URL, or an http URL of a loopback host, such as http://localhost:4000',
    );
  return text;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('expected a port from 0 to 65535');
  return port;
}

export function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > 200)
    throw new InvalidArgumentError('expected a number from 1 to 200');
  return limit;
}

export function readLineNumber(text: string): number {
  const line = Number(text);
  if (!/^\d{1,15}$/.test(text) || line < 1) throw new InvalidArgumentError('expected a line number, such as 1001');
  return line;
}
