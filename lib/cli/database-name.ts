/** The part of a database URL that may be printed: never its user, password or parameters. */
import { CliError, EXIT } from './io.js';

/**
 * Returns the printable name of a database.
 *
 * @param source - The option or variable with the URL, which the error names.
 * @param env - If the URL has no host or port, the driver takes them from these variables.
 * @throws CliError if a part of the password could be parsed as the host or the port.
 */
export function nameOfDatabase(url: string, source: string, env: Readonly<Record<string, string | undefined>>): string {
  if (/^(?:memory|file):/.test(url)) return url;
  // `openStore` later refuses a text that is not a URL.
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url)) return '';
  const { hostname, port, pathname, search, searchParams, hash } = new URL(url);
  if (/@/.test(pathname + hash) || /^\?[^=&]*@/.test(search)) {
    throw new CliError(
      `${source}: the password in the URL contains a special character; percent-encode @ : / ? #`,
      EXIT.usage,
    );
  }
  const host = hostname || searchParams.get('host') || env.PGHOST || 'localhost';
  const schema = searchParams.has('schema') ? `?schema=${searchParams.get('schema')}` : '';
  return `postgres://${host}:${port || searchParams.get('port') || env.PGPORT || 5432}${pathname}${schema}`;
}
