/** Starts the service: `npm start`, `PORT=8080 npm start`, `npm start -- --json`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { accessTokens, apiKeys } from 'keyward';
import { createApp, createRecords } from './app.js';
import { logDecisions } from './decision-log.js';
import { ACCOUNT, AUDIENCE, createDemoCredentials, ENVIRONMENT, ISSUER } from './demo-credentials.js';
import { welcome } from './welcome.js';

// The credentials are printed, so nobody but this machine may come.
const HOST = '127.0.0.1';
const GRACE = 5_000;

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const port = readPort(process.env.PORT ?? '3000');

  const demo = await createDemoCredentials();
  const { tables, jwks } = demo;
  const environment = ENVIRONMENT;
  const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks, accessKeys: tables, environment });
  const secretKeys = apiKeys({ resolver: tables, kinds: ['secret'], environment });
  const publicKeys = apiKeys({ resolver: tables, kinds: ['public'], environment });
  const records = createRecords();
  const server = createServer(createApp({ tokens, secretKeys, publicKeys }, records));

  server.listen(port, HOST);
  await once(server, 'listening');
  const baseUrl = `http://${HOST}:${(server.address() as AddressInfo).port}`;

  // Requests under way are answered first; then nothing is left to do, and the process ends by itself.
  const stop = () => {
    server.close();
    server.keepAliveTimeout = 1;
    setTimeout(() => server.closeAllConnections(), GRACE).unref();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  if (values.json) {
    const { secretAll, secretPayments, secretDisputes, secretEcommerce, public: publicKey, accessToken } = demo;
    const keys = { secretAll, secretPayments, secretDisputes, secretEcommerce, public: publicKey };
    console.log(JSON.stringify({ baseUrl, issuer: ISSUER, audience: AUDIENCE, ...keys, accessToken }));
    return;
  }
  const holder = { account: ACCOUNT, channels: 'all' } as const;
  const card = { type: 'card', expiry_month: 12, expiry_year: 2030 } as const;
  const payment = records.payments.create(holder, { source: card, amount: 2500, currency: 'GBP', reference: 'demo' });
  console.log(welcome(baseUrl, demo, payment, records.disputes.open(payment)));
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
