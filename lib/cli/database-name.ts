/** Tells of a database's URL what may be printed: never its user, password or parameters. */
import { CliError, EXIT } from './io.js';

/**
 * @param env - What the driver fills a URL up with.
 * @throws CliError where host and port, as they are read, may be pieces of the password.
 */
export function nameOfDatabase(url: string, saidBy: string, env: Readonly<Record<string, string | undefined>>): string {
  if (/^(?:memory|file):/.test(url)) return url;
  // What is no URL at all is refused when it is opened.
  if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url)) return '';
  const { hostname, port, pathname, search, searchParams, hash } = new URL(url);
  if (/@/.test(pathname + hash) || /^\?[^=&]*@/.test(search)) {
    throw new CliError(`${saidBy}: encode what the password in the URL has of @ : / ? #`, EXIT.usage);
  }
  const host = hostname || searchParams.get('host') || env.PGHOST || 'localhost';
  const schema = searchParams.has('schema') ? `?schema=${searchParams.get('schema')}` : '';
  return `postgres://${host}:${port || searchParams.get('port') || env.PGPORT || 5432}${pathname}${schema}`;
}
