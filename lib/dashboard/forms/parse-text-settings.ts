/**
 * Settings that a member edits as text. Parses metadata, IP addresses and rate limits, and formats metadata and rate
 * limits for the form. Management validates the parsed values.
 */
import { formatRateLimit, parseRateLimit, type RateLimit } from '../../credentials/rate-limit.js';
import { UNPRINTABLE } from '../../management/invisible-characters.js';
import { invalid } from '../../management/management-error.js';

type Metadata = Readonly<Record<string, string>>;

/**
 * Parses metadata: lines with `name=value`, or a JSON object; `null` for an empty text.
 *
 * @throws ManagementError `invalid`
 */
export function parseMetadata(text: string): Metadata | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (trimmed.startsWith('{')) return parseJson(trimmed);
  const pairs = trimmed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      if (at < 1) throw invalid('metadata', 'enter one name=value pair per line');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) throw invalid('metadata', 'use each metadata name only once');
  return Object.fromEntries(pairs);
}

function parseJson(text: string): Metadata {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('metadata', 'enter one name=value pair per line, or a JSON object with string values');
  }
}

/**
 * Formats metadata as lines with `name=value`. Some metadata cannot be lines: `parseMetadata` would change them, or
 * they contain invisible characters. They become JSON with escapes.
 */
export function formatMetadata(metadata: Metadata | null): string {
  if (metadata === null) return '';
  const entries = Object.entries(metadata);
  const isPlain = entries.every(
    ([name, value]) =>
      !UNPRINTABLE.test(name + value) && !name.includes('=') && name.trim() === name && value.trim() === value,
  );
  if (isPlain && !entries[0]?.[0].startsWith('{')) return entries.map(([name, value]) => `${name}=${value}`).join('\n');
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(metadata).replace(/[^\x20-\x7E]/g, escaped);
}

export function parseAddresses(text: string): readonly string[] | null {
  const addresses = text.split(/[\s,]/).filter((part) => part !== '');
  return addresses.length === 0 ? null : addresses;
}

/**
 * Parses limits such as `100/1m, 5000/1d` or `100 per minute`; `null` for an empty text.
 *
 * @throws ManagementError `invalid`
 */
export function parseLimits(text: string): readonly RateLimit[] | null {
  const parts = text
    // Runs of spaces are shortened first: `/\s+per\s+/` alone needs minutes for 400,000 spaces.
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' per ', '/')
    .split(/[ ,]/)
    .filter((part) => part !== '');
  if (parts.length === 0) return null;
  return parts.map((part) => {
    const limit = parseRateLimit(part);
    if (limit === undefined)
      throw invalid('limits', 'enter a number of requests per time period, such as 100/minute or 100/15m');
    return limit;
  });
}

export function formatLimits(limits: readonly RateLimit[] | null): string {
  return (limits ?? []).map(formatRateLimit).join(', ');
}
