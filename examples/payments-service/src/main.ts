/** Starts the service: `npm start`, `npm start -- --all`, `npm start -- --json`, `PORT=8080 npm start`. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { accessTokens, apiKeys } from 'keyward';
import { createIssuer } from 'keyward/issuer';
import { createApp, createRecords } from './app.js';
import { logDecisions } from './decision-log.js';
import { demoCredentials } from './demo-credentials.js';
import { demoDashboard } from './demo-dashboard.js';
import { ACCOUNT, ENVIRONMENT } from './demo-keys.js';
import { type DemoStore, openDemoStore } from './demo-store.js';
import { writeEnvFile } from './env-file.js';
import { expiredTokenLike } from './expired-token.js';
import { shortWelcome } from './short-welcome.js';
import { obtainToken } from './token-client.js';
import { welcome } from './welcome.js';

// The credentials are printed, so only this machine may connect.
const HOST = '127.0.0.1';
const AUDIENCE = 'https://api.example.com';
const GRACE = 5_000;

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, all: { type: 'boolean' } } });
  const port = readPort(process.env.PORT ?? '3000');
  const demo = await openDemoStore(process.env.DATABASE_URL);
  const server = createServer();

  // Pending requests are answered first. Then the process ends, because nothing keeps it running.
  const stop = () => {
    server.close(() => void demo.store.close());
    server.keepAliveTimeout = 1;
    setTimeout(() => server.closeAllConnections(), GRACE).unref();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  try {
    await serve(demo, server, port, values);
  } catch (error) {
    stop();
    throw error;
  }
}

/** The options of the command line that select what is printed. */
interface Output {
  readonly json?: boolean | undefined;
  readonly all?: boolean | undefined;
}

async function serve(demo: DemoStore, server: Server, port: number, { json, all }: Output): Promise<void> {
  const { store } = demo;
  const { credentials, replaced } = await demoCredentials(demo);
  const records = createRecords();
  server.listen(port, HOST);
  await once(server, 'listening');

  // The issuer's identifier is the URL of the service. With PORT=0 its port is known only now.
  const baseUrl = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const environment = ENVIRONMENT;
  const named = { issuer: baseUrl, audience: AUDIENCE, accessKeys: store };
  const tokens = accessTokens({ ...named, environment, dpop: { origin: baseUrl, replay: store } });
  const secretKeys = apiKeys({ resolver: store, kinds: ['secret'], environment });
  const publicKeys = apiKeys({ resolver: store, kinds: ['public'], environment });
  const issuer = createIssuer({ ...named, signingKeys: store, dpop: {} });
  const dashboard = demoDashboard(store, baseUrl);
  server.on('request', createApp({ tokens, secretKeys, publicKeys }, records, [issuer, dashboard.router]));

  const tokenEndpoint = `${baseUrl}/connect/token`;
  const accessToken = await obtainToken({ tokenEndpoint, ...credentials });
  if (json) {
    const { secretAll, secretPayments, secretDisputes, secretEcommerce, public: publicKey, ...rest } = credentials;
    const { accessKeyId, accessKeySecret, defaultScopes } = rest;
    const keys = { secretAll, secretPayments, secretDisputes, secretEcommerce, public: publicKey };
    const client = { tokenEndpoint, accessKeyId, accessKeySecret, defaultScopes };
    const facts = { baseUrl, issuer: baseUrl, audience: AUDIENCE, dashboard: dashboard.links };
    console.log(JSON.stringify({ ...facts, ...keys, accessToken, ...client, replaced }));
    return;
  }
  const expiredToken = await expiredTokenLike(accessToken, store);
  const holder = { account: ACCOUNT, channels: 'all' } as const;
  const card = { type: 'card', expiry_month: 12, expiry_year: 2030 } as const;
  const payment = records.payments.create(holder, { source: card, amount: 2500, currency: 'GBP', reference: 'demo' });
  const dispute = records.disputes.open(payment);
  const obtained = { tokenEndpoint, accessToken, expiredToken };
  const shown = { ...credentials, ...obtained, baseUrl, replaced, dashboard: dashboard.links };
  const envFile = writeEnvFile(demo.beside, shown);
  console.log(all ? welcome(shown, payment, dispute, envFile) : shortWelcome(shown, envFile));
  logDecisions(console.log);
}

function readPort(text: string): number {
  const port = Number(text);
  if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error('PORT must be a whole number from 0 to 65535');
  }
  return port;
}

function sentenceFor(error: NodeJS.ErrnoException): string {
  if (error.code === 'unavailable' || error.code === 'store_unavailable') {
    return `The database ${process.env.DATABASE_URL === undefined ? 'keyward.db' : 'in DATABASE_URL'} cannot be reached.`;
  }
  if (error.code === 'EADDRINUSE') return 'The port is already in use. Choose another port: PORT=3001 npm start';
  return error.message;
}

start().catch((error) => {
  console.error(sentenceFor(error));
  process.exitCode = 1;
});
