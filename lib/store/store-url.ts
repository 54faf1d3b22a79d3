/** Parses the URL of a store. Errors never contain the URL, because it may have a password. */

export type StorePlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly schema: string };

const EXPECTED = "a URL that starts with 'memory:', 'file:' or 'postgres://'";
/**
 * Matches the name of a schema: at most 55 characters, because the name of the notification channel is `keyward_`
 * followed by the name of the schema, and PostgreSQL allows at most 63.
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
  if (url.startsWith('file:')) return { engine: 'sqlite', file: readFile(url.slice('file:'.length)) };
  if (/^postgres(?:ql)?:\/\//.test(url)) return readPostgres(url);
  throw new TypeError(`openStore: expected ${EXPECTED}`);
}

/** Parses the path of a `file:` URL: relative or absolute, or `file:///srv/keys.db`. */
function readFile(path: string): string {
  const file = path.startsWith('//') ? path.slice(2) : path;
  // better-sqlite3 trims the file name, and opens a temporary file if the name is blank.
  if (file === '' || file !== file.trim() || file === ':memory:')
    throw new TypeError(
      "openStore: 'file:' must be followed by a path without leading or trailing spaces; use 'memory:' for a database in memory",
    );
  return file;
}

/** Parses a URL of PostgreSQL. keyward uses the parameter `schema`; the driver gets all other parameters. */
function readPostgres(text: string): StorePlace {
  if (!URL.canParse(text))
    throw new TypeError(
      'openStore: the PostgreSQL URL is invalid; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, with @ : / ? # and % in the password percent-encoded',
    );
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? 'keyward';
  if (!SCHEMA.test(schema)) {
    const expected = 'at most 55 lowercase letters, digits and _, and must not start with a digit';
    throw new TypeError(`openStore: "schema" in the URL must consist of ${expected}`);
  }
  url.searchParams.delete('schema');
  return { engine: 'postgres', url: url.href, schema };
}
