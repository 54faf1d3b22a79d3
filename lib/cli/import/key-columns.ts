/**
 * The columns of a CSV file of keys. This module checks the heading, converts the cells of a line to a key, and
 * replaces names of fields with names of columns in error messages.
 */
import type { ImportedKey } from '../../management/keys/import-keys.js';
import { CliError, EXIT } from '../cli-error.js';
import { parseIsoDate } from '../parse-iso-date.js';
import type { Cells } from './csv-table.js';

export const COLUMNS = [
  ...['digest', 'kind', 'id', 'environment', 'name', 'apis', 'scopes', 'channels', 'platform', 'hint'],
  ...['created_at', 'expires_at'],
];
const NEEDED = ['digest', 'kind', 'apis'];
const SUPPORTED = `the supported columns are ${COLUMNS.join(', ')}`;

/**
 * Error messages of `keyward/management` are written for programmers. Each entry replaces a part of a message with
 * words for the person who edits the CSV file.
 */
const COLUMN_WORDING = [
  [/^createdAt:/, 'created_at:'],
  [/^expiresAt:/, 'expires_at:'],
  [/lowercase hex$/, 'hex'],
  [/a Date from 1970 to 9999$/, 'an ISO 8601 date or time from 1970 to 9999, such as 2027-01-31'],
] as const;

/**
 * Checks the heading of a CSV file of keys.
 *
 * @throws CliError if a column is missing, unsupported or repeated.
 */
export function checkHeading(names: readonly string[]): void {
  // If no column name is supported, the first line is probably a key and not a heading. The error must not print a key,
  // so it does not repeat the line.
  if (!names.some((name) => COLUMNS.includes(name))) {
    const columns = `the required columns are ${NEEDED.join(', ')}; ${SUPPORTED}`;
    throw new CliError(`the first line must contain the column names; ${columns}`, EXIT.usage);
  }
  const unsupported = names.filter((name) => !COLUMNS.includes(name));
  const twice = names.filter((name, at) => names.indexOf(name) < at);
  const missing = NEEDED.filter((name) => !names.includes(name));
  if (unsupported.length > 0) {
    const columns = describeColumns('an unsupported', 'unsupported', unsupported);
    throw new CliError(`the first line has ${columns}; ${SUPPORTED}`, EXIT.usage);
  }
  if (twice.length > 0)
    throw new CliError(`the first line has ${describeColumns('a duplicate', 'duplicate', twice)}`, EXIT.usage);
  if (missing.length > 0)
    throw new CliError(`the first line is missing ${describeColumns('a required', 'required', missing)}`, EXIT.usage);
}

function describeColumns(one: string, several: string, names: readonly string[]): string {
  return `${names.length === 1 ? `${one} column` : `${several} columns`}: ${names.join(', ')}`;
}

/** Converts the cells of a line to a key. `management.keys.import` checks the values. */
export function keyOf(cells: Cells): ImportedKey {
  const { digest = '', kind, created_at, expires_at, apis, scopes, channels, ...rest } = filled(cells);
  return {
    ...(rest as object),
    ...{ digest: digest.toLowerCase(), kind: kind as 'secret', apis: listOf(apis) ?? [] },
    ...(scopes !== undefined && { scopes: scopes.split(/\s+/) }),
    ...(channels !== undefined && { channels: listOf(channels) ?? [] }),
    ...(created_at !== undefined && { createdAt: dateOf(created_at) }),
    ...(expires_at !== undefined && { expiresAt: dateOf(expires_at) }),
  };
}

export function withColumnNames(message: string): string {
  return COLUMN_WORDING.reduce((text, [words, typed]) => text.replace(words, typed), message);
}

/** Parses a date. `management.keys.import` refuses an invalid date later, with an error that names the field. */
function dateOf(cell: string): Date {
  return parseIsoDate(cell) ?? new Date(Number.NaN);
}

function filled(cells: Cells): Cells {
  return Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== ''));
}

function listOf(cell: string | undefined): 'all' | readonly string[] | undefined {
  return cell === undefined || cell === 'all' ? cell : cell.split(/\s+/);
}
