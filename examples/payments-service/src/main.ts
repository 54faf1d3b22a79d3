/** Starts the service: `npm start`, `PORT=8080 npm start`, `npm start -- --json`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { accessTokens, apiKeys } from 'keyward';
import { createIssuer } from 'keyward/issuer';
import { createApp, createRecords } from './app.js';
import { logDecisions } from './decision-log.js';
import { ACCOUNT, AUDIENCE, demoCredentials, ENVIRONMENT } from './demo-credentials.js';
import { demoDashboard } from './demo-dashboard.js';
import { openDemoStore } from './demo-store.js';
import { expiredTokenLike } from './expired-token.js';
import { buyToken } from './token-client.js';
import { welcome } from './welcome.js';

// The credentials are printed, so nobody but this machine may come.
const HOST = '127.0.0.1';
const GRACE = 5_000;

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const port = readPort(process.env.PORT ?? '3000');

  const demo = await openDemoStore(process.env.DATABASE_URL);
  const { store } = demo;
  const credentials = await demoCredentials(demo);
  const records = createRecords();
  const server = createServer();
  server.listen(port, HOST);
  await once(server, 'listening');

  // The issuer is known by the URL of the service, which ends in a port that may have been chosen just now.
  const baseUrl = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const environment = ENVIRONMENT;
  const named = { issuer: baseUrl, audience: AUDIENCE, accessKeys: store };
  const tokens = accessTokens({ ...named, environment });
  const secretKeys = apiKeys({ resolver: store, kinds: ['secret'], environment });
  const publicKeys = apiKeys({ resolver: store, kinds: ['public'], environment });
  const issuer = createIssuer({ ...named, signingKeys: store });
  const dashboard = demoDashboard(store, baseUrl);
  server.on('request', createApp({ tokens, secretKeys, publicKeys }, records, [issuer, dashboard.router]));

  // Requests under way are answered first; then nothing is left to do, and the process ends by itself.
  const stop = () => {
    server.close(() => void store.close());
    server.keepAliveTimeout = 1;
    setTimeout(() => server.closeAllConnections(), GRACE).unref();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  const tokenEndpoint = `${baseUrl}/connect/token`;
  const accessToken = await buyToken({ tokenEndpoint, ...credentials });
  if (values.json) {
    const { secretAll, secretPayments, secretDisputes, secretEcommerce, public: publicKey, ...rest } = credentials;
    const { accessKeyId, accessKeySecret, defaultScopes } = rest;
    const keys = { secretAll, secretPayments, secretDisputes, secretEcommerce, public: publicKey };
    const client = { tokenEndpoint, accessKeyId, accessKeySecret, defaultScopes };
    const facts = { baseUrl, issuer: baseUrl, audience: AUDIENCE, dashboard: dashboard.links };
    console.log(JSON.stringify({ ...facts, ...keys, accessToken, ...client }));
    return;
  }
  const expiredToken = await expiredTokenLike(accessToken, store);
  const holder = { account: ACCOUNT, channels: 'all' } as const;
  const card = { type: 'card', expiry_month: 12, expiry_year: 2030 } as const;
  const payment = records.payments.create(holder, { source: card, amount: 2500, currency: 'GBP', reference: 'demo' });
  const dispute = records.disputes.open(payment);
  const bought = { tokenEndpoint, accessToken, expiredToken };
  console.log(welcome({ ...credentials, ...bought, baseUrl, dashboard: dashboard.links }, payment, dispute));
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
  if (error.code === 'EADDRINUSE') return 'The port is taken. Choose another: PORT=3001 npm start';
  return error.message;
}

start().catch((error) => {
  console.error(sentenceFor(error));
  process.exitCode = 1;
});
