/** Reads what was typed. */
import { InvalidArgumentError } from 'commander';
import { CliError, EXIT } from './io.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `30m`, `24h`, `7d`, or seconds. */
export function readSeconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(seconds)) throw new InvalidArgumentError('Expected a duration, such as 30m, 24h or 7d.');
  return seconds;
}

/** `2027-01-31`, `2027-01-31T12:00:00Z`, or `90d` from now. */
export function readTime(text: string): Date {
  const time = /^\d+[smhd]$/.test(text) ? new Date(Date.now() + readSeconds(text) * 1_000) : new Date(text);
  const isTime = /^\d{4}-\d\d-\d\d/.test(text) || /^\d+[smhd]$/.test(text);
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
