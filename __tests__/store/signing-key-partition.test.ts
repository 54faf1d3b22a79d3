import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { accessTokens, requireBearer } from 'keyward';
import { createIssuer } from 'keyward/issuer';
import type { CredentialStore } from 'keyward/store';
import { ANNOUNCED_FOR, ROTATE_AFTER } from '../../lib/issuer/signing-keys/key-schedule.js';
import { A5, answerOf, T1 } from '../support/answers.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { type Served, serve } from '../support/raw-http.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { secretRow } from '../support/stored-rows.js';
import { engines } from '../support/test-stores.js';

const AUDIENCE = 'https://api.test';
const SECRET = 'S'.repeat(86);
const KEYS_PATH = '/.well-known/jwks.json';
/** Milliseconds: failed fetches are at most so far apart; the keys that were read last are believed so long. */
const LONGEST_BACK_OFF = 10_000;
const MAX_STALE = 3_600_000;

/** A resource server, and the way from it to the keys of the issuer. */
interface ResourceServer extends ServedApp {
  answer(token: string): Promise<ReturnType<typeof answerOf>>;
  isCut: boolean;
}

describe.each(engines)('signing keys of a store in %s that are rotated', (engine) => {
  let stores: Stores;
  let store: CredentialStore;
  let clock: ManualClock;
  let client: string;
  let issuer: Served & { readonly url: string; restart(): void };
  let near: ResourceServer;
  let far: ResourceServer;

  beforeEach(async () => {
    clock = createManualClock();
    stores = await makeStores(engine);
    store = await stores.open({ encryptionKey: randomBytes(32) });
    client = (await storeKey(store, { kind: 'access', scopes: '["payments"]', default_scopes: '["payments"]' })).id;
    await store.repository.transact((tx) => tx.insertSecret(secretRow(client, SECRET)));
    issuer = await serveIssuer();
    [near, far] = [await serveResource(), await serveResource()];
  });

  afterEach(async () => {
    await Promise.all([near.close(), far.close(), issuer.close()]);
    await stores.close();
  });

  async function serveIssuer(): Promise<typeof issuer> {
    let app = express();
    const served = await serve((req, res) => void app(req, res));
    const url = `http://127.0.0.1:${served.port}`;
    const options = { issuer: url, audience: AUDIENCE, accessKeys: store, signingKeys: store, clock };
    function restart(): void {
      app = express().use(createIssuer({ ...options, algorithm: 'ES256' }));
    }
    restart();
    return { ...served, url, restart };
  }

  /** It asks for the keys through a way of its own, which a test can cut. */
  async function serveResource(): Promise<ResourceServer> {
    const way = await serve(async (_req, res) => {
      if (server.isCut) {
        res.destroy();
        return;
      }
      const keys = await fetch(issuer.url + KEYS_PATH);
      res.setHeader('Content-Type', 'application/json').end(await keys.text());
    });
    const jwks = `http://127.0.0.1:${way.port}${KEYS_PATH}`;
    const tokens = accessTokens({ issuer: issuer.url, audience: AUDIENCE, jwks, accessKeys: store, clock });
    const app = await serveApp((mounted, handler) => {
      mounted.get('/', requireBearer({ accept: [tokens] }), handler);
    });
    const server: ResourceServer = {
      ...app,
      isCut: false,
      answer: async (token) => answerOf(await app.ask('/', token)),
      async close() {
        await Promise.all([app.close(), way.close()]);
      },
    };
    return server;
  }

  async function obtainToken(): Promise<string> {
    const response = await fetch(`${issuer.url}/connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client}:${SECRET}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return token;
  }

  const statusAt = async (server: ResourceServer, token: string) => (await server.answer(token)).status;
  const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

  /** The key has leaked, say: the issuer is stopped, its keys are deleted, and it is started anew. */
  async function replaceKey(): Promise<void> {
    for (const { kid } of await store.listSigningKeys()) await store.removeSigningKey(kid);
    issuer.restart();
  }

  it('F23 immediately, during a partition of one server: there new tokens get 503 and old ones are accepted; after it new ones are accepted within the time limit', async () => {
    const old = await obtainToken();
    for (const server of [near, far]) expect(await statusAt(server, old)).toBe(200);
    far.isCut = true;
    await replaceKey();
    const fresh = await obtainToken();
    expect(kidOf(fresh)).not.toBe(kidOf(old));

    expect(await statusAt(near, fresh)).toBe(200);
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await statusAt(far, fresh)).toBe(A5.status);
      expect(await statusAt(far, old)).toBe(200);
      clock.advance(10_000);
    }

    far.isCut = false;
    clock.advance(LONGEST_BACK_OFF);
    expect(await statusAt(far, fresh)).toBe(200);
    // What the issuer does not publish any more is over, also where it had been read before.
    expect(await far.answer(old)).toEqual(T1);
  });

  it('F23 on schedule, during a long partition of one server: there nothing is accepted, and everything again right after it', async () => {
    const old = await obtainToken();
    for (const server of [near, far]) expect(await statusAt(server, old)).toBe(200);
    far.isCut = true;
    clock.advance(ROTATE_AFTER);
    await obtainToken();
    clock.advance(ANNOUNCED_FOR);
    const fresh = await obtainToken();
    expect(kidOf(fresh)).not.toBe(kidOf(old));
    expect(await statusAt(near, fresh)).toBe(200);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await statusAt(far, fresh)).toBe(A5.status);
      clock.advance(MAX_STALE / 4);
    }
    far.isCut = false;
    const later = await obtainToken();
    clock.advance(LONGEST_BACK_OFF);
    expect(await statusAt(far, later)).toBe(200);
    expect(await statusAt(far, fresh)).toBe(200);
  });
});
