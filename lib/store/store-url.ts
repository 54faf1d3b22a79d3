/** Parses the URL of a store. Errors never contain the URL, because it may contain a password. */
import { resolve } from 'node:path';

export type StorePlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly schema: string };

const EXPECTED = "the URL 'memory:' or a URL that starts with 'file:' or 'postgres://'";
/**
 * Matches the name of a schema. It has at most 55 characters, because the notification channel is named `keyward_` and
 * the schema, and PostgreSQL allows names of at most 63 characters.
 */
const SCHEMA = /^[a-z_][a-z0-9_]{0,54}$/;

/**
 * Parses a URL.
 *
 * @throws TypeError for an invalid URL.
 */
export function readStoreUrl(url: unknown): StorePlace {
  if (typeof url !== 'string') throw new TypeError(`openStore: expected ${EXPECTED}`);
  if (url === 'memory:') return { engine: 'sqlite', file: ':memory:' };
  if (url.startsWith('file:')) return { engine: 'sqlite', file: parseFilePath(url.slice('file:'.length)) };
  if (/^postgres(?:ql)?:\/\//.test(url)) return parsePostgresUrl(url);
  throw new TypeError(`openStore: expected ${EXPECTED}`);
}

/**
 * Parses the path of a `file:` URL. `file:./keys.db`, `file:/srv/keys.db` and `file:///srv/keys.db` are accepted. A
 * relative path becomes absolute, because the file may be opened again after the process has changed its directory.
 */
function parseFilePath(path: string): string {
  const file = path.startsWith('//') ? path.slice(2) : path;
  // better-sqlite3 trims the file name. For a blank name, it opens a temporary file, which is deleted at the end.
  if (file === '' || file !== file.trim() || file === ':memory:')
    throw new TypeError(
      "openStore: 'file:' must be followed by a path without leading or trailing spaces; use 'memory:' for an in-memory database",
    );
  return resolve(file);
}

/** Parses a URL of PostgreSQL. The parameter `schema` is for keyward; the driver gets all other parameters. */
function parsePostgresUrl(text: string): StorePlace {
  if (!URL.canParse(text))
    throw new TypeError(
      'openStore: the PostgreSQL URL is invalid; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, with @ : / ? # and % in the password percent-encoded',
    );
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? 'keyward';
  if (!SCHEMA.test(schema)) {
    const expected = '1 to 55 lowercase letters, digits and _, and must not start with a digit';
    throw new TypeError(`openStore: the parameter "schema" of the URL must consist of ${expected}`);
  }
  url.searchParams.delete('schema');
  return { engine: 'postgres', url: url.href, schema };
}
