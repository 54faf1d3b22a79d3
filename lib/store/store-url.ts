/** Reads where a store is. Its errors never print the URL: it may hold a password. */

export type StorePlace =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly schema: string };

const EXPECTED = "a URL that begins 'memory:', 'file:' or 'postgres://'";
/** `keyward_` and a schema make the name of a channel, which has 63 characters at most. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,54}$/;

/** @throws TypeError for a URL that names no store. */
export function readStoreUrl(url: unknown): StorePlace {
  if (typeof url !== 'string') throw new TypeError(`openStore: expected ${EXPECTED}`);
  if (url === 'memory:') return { engine: 'sqlite', file: ':memory:' };
  if (url.startsWith('file:')) return { engine: 'sqlite', file: readFile(url.slice('file:'.length)) };
  if (/^postgres(?:ql)?:\/\//.test(url)) return readPostgres(url);
  throw new TypeError(`openStore: expected ${EXPECTED}`);
}

/** A path as it stands, relative or not; `file:///srv/keys.db` is one too. */
function readFile(path: string): string {
  const file = path.startsWith('//') ? path.slice(2) : path;
  // The driver trims a name, and takes what is left of a blank one for a file that goes away.
  if (file === '' || file !== file.trim() || file === ':memory:')
    throw new TypeError("openStore: 'file:' must be followed by a path");
  return file;
}

/** `?schema=` is ours; everything else is libpq's and goes to the driver. */
function readPostgres(text: string): StorePlace {
  if (!URL.canParse(text))
    throw new TypeError('openStore: the postgres URL cannot be read; encode what its password has of @ : / ?');
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? 'keyward';
  if (!SCHEMA.test(schema)) throw new TypeError("openStore: 'schema' must be a plain lower-case name");
  url.searchParams.delete('schema');
  return { engine: 'postgres', url: url.href, schema };
}
