/**
 * `keyward serve`: serves the issuer, the Dashboard, health checks and, with `--api`, the management API. All of them
 * use one store.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Command } from 'commander';
import type { Router } from 'express';
import { afterSocketReads } from '../../http/after-socket-reads.js';
import { createIssuer } from '../../issuer/create-issuer.js';
import type { CredentialStore } from '../../store/credential-store.js';
import { CliError, EXIT } from '../cli-error.js';
import { checkDatabaseDriver, type Database, databaseOf, openDatabase } from '../database.js';
import { encryptionKeysFrom } from '../encryption-key-file.js';
import { outputLost } from '../format-error.js';
import type { Io } from '../io.js';
import { type ServeApp, serveApp } from '../serve/serve-app.js';
import { serveLog } from '../serve/serve-log.js';
import {
  type ServeOptions,
  type ServeSettings,
  serveSettings,
  urlOf,
  withServeOptions,
} from '../serve/serve-settings.js';
import {
  type AccountChoice,
  chooseAccount,
  NEW_LINKS,
  type ServedDashboard,
  serveDashboard,
} from '../serve/served-dashboard.js';
import { serveManagementApi } from '../serve/served-management-api.js';
import { announcementOn } from '../serve/startup-output.js';
import { trackConnections } from '../serve/track-connections.js';
import { waitForAccount } from '../serve/wait-for-account.js';
import { type Interruption, listenForInterruption } from '../terminal/interruption.js';

/** Milliseconds that requests in progress have to finish after a signal that ends the server. */
const SHUTDOWN_TIMEOUT_MS = 8_000;
/**
 * After a signal that ends the server, connections without a request stay open for this many milliseconds: a request
 * may already be on its way.
 */
const REQUEST_ARRIVES_WITHIN_MS = 100;

export function addServeCommand(program: Command, io: Io): void {
  withServeOptions(
    program
      .command('serve')
      .description(
        'run a server with the token endpoint, the authorization server metadata, the Dashboard and health checks',
      ),
  ).action(async (options: ServeOptions) => {
    const settings = serveSettings(io, options);
    const database = databaseOf(io, settings);
    // The database driver is checked first. `encryptionKeysFrom` may create a file with a new encryption key, and a
    // command that fails because of a missing driver must not leave such a file.
    await checkDatabaseDriver(database);
    const store = await openDatabase(database, encryptionKeysFrom(io, settings.encryptionKeyFile, settings.json));
    try {
      await serve(options, settings, store, database);
    } finally {
      await store.close();
    }
  });

  async function serve(
    options: ServeOptions,
    settings: ServeSettings,
    store: CredentialStore,
    database: Database,
  ): Promise<void> {
    const server = createServer();
    const sockets = trackConnections(server);
    server.listen(settings.port, settings.host);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw new CliError(listenMessage(settings, error.code), EXIT.usage);
    });
    const { port } = server.address() as AddressInfo;
    const issuer = settings.issuer ?? urlOf(settings.host, port);
    const router = routerOf(server, options, { ...settings, issuer }, store);
    const log = settings.log ? serveLog(io.stderr, settings.json === true) : undefined;
    const api = settings.api ? serveManagementApi(store, { ...settings, issuer }) : undefined;
    const served = serveApp(settings, store, router, log, api);
    server.on('request', served.app);

    const interruption = listenForInterruption();
    const announcement = announcementOn(io, settings);
    // The listener for SIGUSR2 is registered before the first line is printed. Somebody who reads this line may send
    // the signal immediately, and without a listener the signal would end the process.
    process.on(NEW_LINKS, announcement.printNewLinks);
    try {
      const choose = () => chooseAccount(settings, store, database);
      const first = await choose();
      const mount = (choice: AccountChoice) =>
        mountDashboard(choice, served, () =>
          serveDashboard(store, choice.state === 'chosen' ? choice.account : '', { ...settings, issuer }),
        );
      announcement.start(
        { issuer, tokenEndpoint: `${issuer.replace(/\/$/, '')}/connect/token`, port },
        first,
        mount(first),
      );
      await io.stdout.flush().catch((error) => {
        const { message, exitCode } = outputLost(error);
        throw new CliError(message, exitCode);
      });
      const ended = new AbortController();
      void interruption.received.then(() => ended.abort());
      if (first.state === 'waiting') {
        for await (const choice of waitForAccount(choose, first.reason, ended.signal))
          announcement.later(choice, mount(choice));
      }
      await end(server, sockets, interruption);
    } finally {
      process.off(NEW_LINKS, announcement.printNewLinks);
      interruption.ignore();
      log?.stop();
      server.close();
    }
  }
}

function mountDashboard(
  choice: AccountChoice,
  served: ServeApp,
  make: () => ServedDashboard,
): ServedDashboard | undefined {
  if (choice.state === 'none') served.serveWithoutDashboard();
  if (choice.state !== 'chosen') return undefined;
  const dashboard = make();
  served.mountDashboard(dashboard);
  return dashboard;
}

function routerOf(
  server: Server,
  options: ServeOptions,
  { issuer, allowHttp, audience }: ServeSettings & { readonly issuer: string },
  store: CredentialStore,
): Router {
  try {
    return createIssuer({ issuer, allowHttp, audience, accessKeys: store, signingKeys: store });
  } catch (error) {
    server.close();
    // The error names an option of `createIssuer`: `issuer` or `audience`. The option of the command has the same name,
    // so the error can name it instead, or the variable that replaces it.
    const [, option, mistake] =
      (error instanceof TypeError &&
        /^createIssuer: option "(\w+)" (.*?)(?:, got an invalid string)?$/s.exec(error.message)) ||
      [];
    if (option === undefined) throw error;
    const isGiven = options[option as keyof ServeOptions] !== undefined;
    const name = isGiven ? `--${option}` : `KEYWARD_${option.toUpperCase()}`;
    throw new CliError(`${name} ${mistake?.replace('"allowHttp"', '--allow-http')}`, EXIT.usage);
  }
}

function listenMessage({ host, port }: ServeSettings, code: string | undefined): string {
  if (code === 'EADDRINUSE')
    return `port ${port} on ${host} is already in use (EADDRINUSE); choose another port with --port`;
  if (code === 'EACCES')
    return `cannot listen on port ${port}, because the current user does not have permission to use it (EACCES); choose another port with --port, such as 4000`;
  return `cannot listen on ${host}:${port} (${code}); check that ${host} is an address of this machine`;
}

/**
 * Waits for a signal that ends the server. Closes the server when the requests in progress are answered, at the latest
 * after `SHUTDOWN_TIMEOUT_MS`. It then throws a `CliError` with the exit code of the signal.
 */
async function end(server: Server, sockets: ReadonlySet<Socket>, { received }: Interruption): Promise<void> {
  const { name, exitCode } = await received;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Tells clients to close their connection. Otherwise, a client could keep its connection open with further requests,
  // and the server would not close.
  server.prependListener('request', (_req, res) => void res.setHeader('Connection', 'close'));
  server.keepAliveTimeout = 100;
  const timer = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
  // `closeIdleConnections` does not close a connection on which no request has begun. The first request of a new
  // connection may have arrived already, so Node gets some time to read it. After that, the connection is closed.
  await new Promise<void>((resolve) => void setTimeout(afterSocketReads, REQUEST_ARRIVES_WITHIN_MS, resolve));
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  await closed;
  clearTimeout(timer);
  throw new CliError(`the server was stopped by ${name}`, exitCode);
}
