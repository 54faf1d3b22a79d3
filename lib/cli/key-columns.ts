/** The columns of an old key table. */
import type { ImportedKey } from '../management/import-keys.js';
import type { Cells } from './csv-table.js';
import { CliError, EXIT } from './io.js';

export const COLUMNS = [
  ...['digest', 'kind', 'id', 'environment', 'name', 'apis', 'scopes', 'channels', 'platform', 'hint'],
  ...['created_at', 'expires_at'],
];
const NEEDED = ['digest', 'kind', 'apis'];

/** Fields of the management, and what else it says in its own words, as a table has them. */
const IN_A_TABLE = [
  [/^createdAt:/, 'created_at:'],
  [/^expiresAt:/, 'expires_at:'],
  [/lower-case hex$/, 'hex'],
] as const;

/** @throws CliError for a heading that lacks a column, or has one that is unknown or comes twice. */
export function checkHeading(names: readonly string[]): void {
  // What stands there may be a key: it is not printed.
  if (!names.some((name) => COLUMNS.includes(name))) {
    const needed = `the columns, of ${COLUMNS.join(', ')}`;
    throw new CliError(`The heading is missing: the first line must name ${needed}.`, EXIT.usage);
  }
  const unknown = names.filter((name) => !COLUMNS.includes(name));
  const twice = names.filter((name, at) => names.indexOf(name) < at);
  const missing = NEEDED.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new CliError(`There is no column ${unknown.join(', ')}; there are ${COLUMNS.join(', ')}.`, EXIT.usage);
  if (twice.length > 0) throw new CliError(`The column ${twice.join(', ')} comes twice.`, EXIT.usage);
  if (missing.length > 0) throw new CliError(`The column ${missing.join(', ')} is missing.`, EXIT.usage);
}

/** What the cells say, unchecked: management refuses what is wrong. */
export function keyOf(cells: Cells): ImportedKey {
  const { digest = '', kind, created_at, expires_at, apis, scopes, channels, ...rest } = filled(cells);
  return {
    ...(rest as object),
    ...{ digest: digest.toLowerCase(), kind: kind as 'secret', apis: listOf(apis) ?? [] },
    ...(scopes !== undefined && { scopes: scopes.split(/\s+/) }),
    ...(channels !== undefined && { channels: listOf(channels) ?? [] }),
    ...(created_at !== undefined && { createdAt: new Date(created_at) }),
    ...(expires_at !== undefined && { expiresAt: new Date(expires_at) }),
  };
}

export function inWordsOfATable(message: string): string {
  return IN_A_TABLE.reduce((text, [words, typed]) => text.replace(words, typed), message);
}

function filled(cells: Cells): Cells {
  return Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== ''));
}

function listOf(cell: string | undefined): 'all' | readonly string[] | undefined {
  return cell === undefined || cell === 'all' ? cell : cell.split(/\s+/);
}
