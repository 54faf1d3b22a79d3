/** The other end of `runCallbacks`: callbacks that fail, in a process that an unhandled rejection ends. */
import { subscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import {
  type AccessKeyResolver,
  accessTokens,
  apiKeys,
  bearerErrors,
  defineGuard,
  type KeyResolver,
  requireBearer,
  requireChannel,
} from 'keyward';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { createIssuer } from '../../lib/issuer/create-issuer.js';
import { memorySigningKeys } from '../../lib/issuer/signing-keys/memory-signing-keys.js';
import type { CallbackAnswer, CallbackCase } from './callbacks.js';
import { createManualClock } from './manual-clock.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from './token-forge.js';

const RETURNED: Record<CallbackCase['returns'], () => unknown> = {
  nothing: () => undefined,
  'a promise that rejects': () => Promise.reject(new RangeError('disk full')),
  'a promise that rejects later': async () => {
    await setImmediate();
    throw new RangeError('disk full');
  },
  'a promise that never settles': () => new Promise(() => {}),
  'a thenable that throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: what a user may return.
    then() {
      throw new RangeError('disk full');
    },
  }),
};

const events: unknown[] = [];
subscribe('keyward:callback-failure', (event) => events.push(event));

process.on('message', async (given: CallbackCase) => {
  events.length = 0;
  const status = await statusOf(given);
  // Rejections that nobody handles are raised after the microtasks of a turn.
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  process.send?.({ status, events } satisfies CallbackAnswer);
});

async function statusOf({ callback, returns }: CallbackCase): Promise<number> {
  const failing = RETURNED[returns];
  if (callback === 'recordUse of an access key') return await statusOfIssuer(failing);
  if (callback === 'certificateOf') return await statusOfBoundToken(failing);
  const key = mintKey('secret', 'live');
  const record = { id: 'key_1', kind: 'secret', account: 'acme', environment: 'live', apis: ['payments'] } as const;
  const resolver: KeyResolver = { resolveKey: ({ digest }) => (digest === digestOf(key) ? record : undefined) };
  const accessKeys: AccessKeyResolver = { resolveAccessKey: () => undefined };
  if (callback === 'recordUse of a key') resolver.recordUse = failing;
  if (callback === 'watch of keys') resolver.watch = failing as never;
  if (callback === 'watch of access keys') accessKeys.watch = failing as never;
  const tokens = accessTokens({ issuer: 'http://127.0.0.1', audience: 'api', jwks: 'http://127.0.0.1:1', accessKeys });
  const keys = apiKeys({ resolver, kinds: ['secret'], environment: 'live' });
  const app = express().use(requireBearer({ accept: [keys, tokens] }));
  if (callback === 'scopesOf of a guard') {
    const scoped = requireBearer({ accept: [keys], scopes: ['none:such'] });
    app.get('/', scoped, defineGuard({ name: 'guard', check: () => true, scopesOf: failing as never }), () => {});
  }
  if (callback === 'select of a channel') app.use(requireChannel(failing));
  app.use((_req, res) => void res.end());
  app.use(bearerErrors());
  return await ask(app, '/', { headers: { authorization: `Bearer ${key}` } });
}

async function statusOfBoundToken(certificateOf: () => unknown): Promise<number> {
  const signer = createKey('ES256');
  const mtls = { certificateOf: certificateOf as never };
  const named = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock: createManualClock() };
  const app = express().use(requireBearer({ accept: [accessTokens({ ...named, mtls })] }), bearerErrors());
  const token = forge(signer, { cnf: { 'x5t#S256': 'A'.repeat(43) } });
  return await ask(app, '/', { headers: { authorization: `Bearer ${token}` } });
}

async function statusOfIssuer(recordUse: () => unknown): Promise<number> {
  const secrets = [{ digest: digestOf('good') }];
  const scopes = ['payments'];
  const record = { id: 'ack_1', account: 'acme', environment: 'live' as const, secrets, scopes, defaultScopes: scopes };
  const accessKeys = { resolveAccessKey: () => record, recordUse };
  const named = { issuer: 'http://127.0.0.1', audience: 'api', signingKeys: memorySigningKeys() };
  const app = express().use(createIssuer({ ...named, accessKeys, algorithm: 'ES256' }));
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'ack_1', client_secret: 'good' });
  return await ask(app, '/connect/token', { method: 'POST', body });
}

async function ask(app: RequestListener, path: string, init: RequestInit): Promise<number> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, init);
  server.close();
  server.closeAllConnections();
  return status;
}
