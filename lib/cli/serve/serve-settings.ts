/**
 * The settings of `keyward serve`. A setting comes from its option, otherwise from its environment variable, otherwise
 * it has a default.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { secureUrl } from '../../http/secure-url.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { readPort, readText, readUrl } from '../option-values.js';
import { type CommonOptions, withStoreOptions } from '../with-store.js';

export interface ServeOptions extends CommonOptions {
  readonly port?: number;
  readonly host?: string;
  readonly issuer?: string;
  readonly allowHttp?: boolean;
  readonly audience?: string;
  readonly encryptionKeyFile: string;
  readonly trustProxy?: boolean;
  readonly account?: string;
  readonly apiUrl?: string;
  readonly api?: boolean;
  /** `false` for `--no-dashboard`. */
  readonly dashboard: boolean;
  readonly signInLinks?: boolean;
  /** `false` for `--no-log`. */
  readonly log: boolean;
}

export interface ServeSettings extends ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly audience: string;
}

export function withServeOptions(command: Command): Command {
  return withStoreOptions(command)
    .option(
      '--audience <url>',
      'the audience of the access tokens, which is the URL of your API; default: the environment variable KEYWARD_AUDIENCE',
    )
    .option(
      '--issuer <url>',
      'the public URL of this server; default: the environment variable KEYWARD_ISSUER, or http://HOST:PORT',
    )
    .option(
      '--allow-http',
      'allow --issuer to be an http URL for any host, not only for a loopback host; use this only on a network that encrypts all traffic',
    )
    .option(
      '--port <number>',
      'the port to listen on, or 0 for any free port; default: the environment variable PORT, or 4000',
      readPort,
    )
    .option(
      '--host <address>',
      'the address to listen on; default: the environment variable KEYWARD_HOST, or 127.0.0.1',
      readText,
    )
    .option(
      '--encryption-key-file <path>',
      'the file with the key that encrypts the signing keys, created if it does not exist; this option is ignored if KEYWARD_ENCRYPTION_KEY is set',
      './keyward.key',
    )
    .option('--trust-proxy', 'trust one reverse proxy: take the client address from X-Forwarded-For')
    .option(
      '--account <id>',
      'the account that the Dashboard manages; required for the Dashboard if there are several accounts; default: the only account in the database',
      readText,
    )
    .option(
      '--api-url <url>',
      'the URL in the example curl command that the Dashboard shows with a new key; choose one that accepts GET requests with any valid key; default: the audience',
      readUrl,
    )
    .option(
      '--api',
      'serve the management API at /api, for credentials with the scope keys:read, keys:write or keys:manage',
    )
    .option('--no-dashboard', 'serve the token endpoint without the Dashboard')
    .option('--sign-in-links', 'print the sign-in links of the Dashboard even if the output is not a terminal')
    .option('--no-log', 'do not log requests, the results of token requests, or database outages to standard error')
    .addHelpText('after', '\nExample: keyward serve --audience https://api.example.com');
}

/**
 * Reads the settings from the options and environment variables.
 *
 * @throws CliError for a setting that is missing or wrong. The error names the option or the variable.
 */
export function serveSettings({ env }: Io, options: ServeOptions): ServeSettings {
  const audience = options.audience ?? (env.KEYWARD_AUDIENCE || undefined);
  if (audience === undefined) {
    throw new CliError(
      'the audience of the tokens is missing; set --audience or KEYWARD_AUDIENCE to the URL of your API',
      EXIT.usage,
    );
  }
  const port = options.port ?? (env.PORT ? portIn(env.PORT) : 4_000);
  const host = options.host ?? (env.KEYWARD_HOST || '127.0.0.1');
  const issuer = options.issuer ?? (env.KEYWARD_ISSUER || undefined);
  if (issuer === undefined && secureUrl(urlOf(host, port)) === undefined) {
    const message = `the public URL of this server is missing; it is required because the server listens on ${host}, which is not a loopback host; set --issuer or KEYWARD_ISSUER to the https URL of the server`;
    throw new CliError(message, EXIT.usage);
  }
  return { ...options, audience, port, host, ...(issuer !== undefined && { issuer }) };
}

function portIn(text: string): number {
  try {
    return readPort(text);
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new CliError(`PORT: ${error.message}`, EXIT.usage) : error;
  }
}

/** Returns the http URL of an address and a port. An IPv6 address must be in brackets (RFC 3986 section 3.2.2). */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
