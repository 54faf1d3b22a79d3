/** `keyward serve`: the issuer and the Dashboard over a store, with the checks that an operator's platform asks for. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import express, { type Express, type Router } from 'express';
import { createIssuer } from '../issuer/create-issuer.js';
import type { CredentialStore } from '../store/credential-store.js';
import { secureUrl } from '../verify/secure-url.js';
import { type Database, databaseOf, openDatabase } from './database.js';
import { encryptionKeyFrom } from './encryption-key.js';
import { CliError, EXIT, type Io } from './io.js';
import { printJson, printLine } from './output.js';
import { readPort, readUrl } from './read-options.js';
import {
  chooseAccount,
  DASHBOARD_PATH,
  NEW_LINKS,
  type ServedDashboard,
  serveDashboard,
  textOfLinks,
} from './serve-dashboard.js';
import { type CommonOptions, withStoreOptions } from './session.js';

interface ServeOptions extends CommonOptions {
  readonly port: number;
  readonly host: string;
  readonly issuer?: string;
  readonly audience: string;
  readonly encryptionKeyFile: string;
  readonly trustProxy?: boolean;
  readonly account?: string;
  readonly apiUrl?: string;
  /** False by `--no-dashboard`. */
  readonly dashboard: boolean;
}

/** Milliseconds for requests under way, when it ends. */
const GRACE = 8_000;

export function addServeCommand(program: Command, io: Io): void {
  withStoreOptions(
    program.command('serve').description('the token endpoint, its metadata, the Dashboard and health checks'),
  )
    .requiredOption('--audience <url>', 'of the tokens: your API')
    .option('--issuer <url>', 'the public URL of this server; else http://HOST:PORT')
    .option('--port <number>', '0 takes any that is free', readPort, 4_000)
    .option('--host <address>', 'the address that it listens at', '127.0.0.1')
    .option(
      '--encryption-key-file <path>',
      'made where there is none; KEYWARD_ENCRYPTION_KEY comes first',
      './keyward.key',
    )
    .option('--trust-proxy', "behind a proxy of one's own: callers are told apart by X-Forwarded-For")
    .option('--account <id>', 'whose keys the Dashboard has; else the only account there is')
    .option(
      '--api-url <url>',
      'what the curl of a new key asks: a page that every key may GET; else the audience',
      readUrl,
    )
    .option('--no-dashboard', 'the token endpoint alone')
    .addHelpText('after', '\nExample: keyward serve --audience https://api.example.com')
    .action(async (options: ServeOptions) => {
      if (options.issuer === undefined && secureUrl(urlOf(options.host, options.port)) === undefined) {
        const needed = '--issuer is needed: the public https URL of this server';
        throw new CliError(`With --host ${options.host} ${needed}.`, EXIT.usage);
      }
      const database = databaseOf(io, options);
      const store = await openDatabase(database, encryptionKeyFrom(io, options.encryptionKeyFile));
      try {
        await serve(options, store, database);
      } finally {
        await store.close();
      }
    });

  async function serve(options: ServeOptions, store: CredentialStore, database: Database): Promise<void> {
    const chosen = await chooseAccount(options, store, database);
    const server = createServer();
    server.listen(options.port, options.host);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw new CliError(textOfNoListening(options, error.code), EXIT.usage);
    });
    const { port } = server.address() as AddressInfo;
    const issuer = options.issuer ?? urlOf(options.host, port);
    let dashboard: ServedDashboard | undefined;
    try {
      const router = createIssuer({ issuer, audience: options.audience, accessKeys: store, signingKeys: store });
      if (chosen.account !== undefined) dashboard = serveDashboard(store, chosen.account, { ...options, issuer });
      server.on('request', appOf(options, store, router, dashboard));
    } catch (error) {
      server.close();
      throw toldOfIssuer(error);
    }
    const ended = untilEnded(server);
    const printLinks = () => announceLinks(options, dashboard);
    // Before the first word: who reads it may send one at once, and a signal that nobody waits for ends the process.
    if (dashboard !== undefined) process.on(NEW_LINKS, printLinks);
    announce({ issuer, tokenEndpoint: `${issuer}/connect/token`, port }, options, dashboard, chosen.reason);
    await ended;
    process.off(NEW_LINKS, printLinks);
  }

  function announce(
    facts: { readonly issuer: string; readonly tokenEndpoint: string; readonly port: number },
    { json }: ServeOptions,
    dashboard: ServedDashboard | undefined,
    reason: string | undefined,
  ): void {
    const links = dashboard?.links() ?? null;
    if (json) printJson(io, { ...facts, dashboard: links });
    else printLine(io, `Issuer ${facts.issuer}\nTokens ${facts.tokenEndpoint}\nHealth /healthz, /readyz`);
    if (!json && links !== null) printLine(io, textOfLinks(links));
    // Nothing that a program reads from its one line.
    if (reason !== undefined) (json ? io.stderr : io.stdout).write(`No Dashboard: ${reason}\n`);
    if (!json) printLine(io, 'Ctrl-C ends it.');
  }

  function announceLinks({ json }: ServeOptions, dashboard: ServedDashboard | undefined): void {
    if (dashboard === undefined) return;
    const links = dashboard.links();
    if (json) printJson(io, { dashboard: links });
    else printLine(io, textOfLinks(links));
  }
}

/** An IPv6 address stands in brackets. */
function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function textOfNoListening({ host, port }: ServeOptions, code: string | undefined): string {
  if (code === 'EADDRINUSE')
    return `The port ${port} of ${host} is taken (EADDRINUSE). Choose another: --port ${port + 1}`;
  if (code === 'EACCES') return `The port ${port} is not for this user (EACCES). Choose another: --port 4000`;
  return `Cannot listen at ${host}:${port} (${code}): --host takes an address of this machine.`;
}

/** Options of `createIssuer` are those that were typed, under the same names. */
function toldOfIssuer(error: unknown): unknown {
  const [, option, mistake] =
    (error instanceof TypeError && /^createIssuer: option "(\w+)" (.*?)(?:, got string)?$/s.exec(error.message)) || [];
  return option === undefined ? error : new CliError(`--${option} ${mistake}`, EXIT.usage);
}

function appOf(
  { trustProxy }: ServeOptions,
  store: CredentialStore,
  issuer: Router,
  dashboard: ServedDashboard | undefined,
): Express {
  const app = express().disable('x-powered-by');
  if (trustProxy) app.set('trust proxy', 1);
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', async (_req, res) => {
    const isReady = await store.ready();
    res.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'unavailable' });
  });
  app.use(issuer);
  if (dashboard !== undefined) app.use(DASHBOARD_PATH, ...dashboard.routers);
  return app;
}

/** Requests under way are answered first. */
async function untilEnded(server: Server): Promise<void> {
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // A client that keeps its connection would go on sending until it is cut.
  server.prependListener('request', (_req, res) => void res.setHeader('Connection', 'close'));
  server.keepAliveTimeout = 100;
  const timer = setTimeout(() => server.closeAllConnections(), GRACE);
  await closed;
  clearTimeout(timer);
}
