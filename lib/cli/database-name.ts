/**
 * Makes a printable name of a database from its URL. For PostgreSQL, it contains the host, port, database and schema,
 * but never the user, the password or other parameters.
 */
import { CliError, EXIT } from './cli-error.js';

/**
 * Returns the printable name of a database: the whole URL for `memory:` and `file:`, a part of the URL for PostgreSQL,
 * and an empty text for any other text.
 *
 * @param source - The option or environment variable that contains the URL. The error names it.
 * @param env - The environment variables. If the URL has no host or port, the database driver uses `PGHOST` and
 *   `PGPORT`, so the name contains their values.
 * @throws CliError if the password seems to contain a character that is not percent-encoded. A part of the password
 *   would then be parsed as the host, the path or a parameter, and would be printed.
 */
export function nameOfDatabase(url: string, source: string, env: Readonly<Record<string, string | undefined>>): string {
  if (/^(?:memory|file):/.test(url)) return url;
  // A text that is not a PostgreSQL URL may contain a password anywhere, so nothing of it is printed. `openStore`
  // refuses it later.
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url)) return '';
  const { hostname, port, username, pathname, search, searchParams, hash } = new URL(url);
  // Without a user before the host, the port may be the start of a password, as in `ada:12?a=b@host`. An `@` is then
  // expected only in a parameter for the user or the password.
  const misplaced = username === '' && port !== '' ? /[?&](?!(?:user|password)=)[^&]*@/ : /^\?[^=&]*@/;
  if (/@/.test(pathname + hash) || misplaced.test(search)) {
    throw new CliError(
      `${source}: the password in the URL contains a special character; percent-encode @ : / ? # and %`,
      EXIT.usage,
    );
  }
  const host = hostname || searchParams.get('host') || env.PGHOST || 'localhost';
  const schema = searchParams.has('schema') ? `?schema=${searchParams.get('schema')}` : '';
  return `postgres://${host}:${port || searchParams.get('port') || env.PGPORT || 5432}${pathname}${schema}`;
}
