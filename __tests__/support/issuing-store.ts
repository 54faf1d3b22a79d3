import { accessTokens, type CredentialVerifier } from 'keyward';
import { createIssuer, type IssuerOptions, memorySigningKeys } from 'keyward/issuer';
import type { CredentialStore } from 'keyward/store';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { serveApp } from './served-app.js';
import { needAccount } from './store-places.js';
import { keyRow, secretRow } from './stored-rows.js';
import { serveTokenApi, type TokenApi } from './token-api.js';
import { AUDIENCE, basic } from './token-service.js';

/** A client of an issuer. */
export interface Client {
  readonly id: string;
  readonly secret: string;
}

/** An issuer over a store, with all of its endpoints, and APIs that accept its tokens. */
export interface IssuingStore {
  readonly url: string;
  readonly clock: ManualClock;
  /** Adds an access key. */
  client(id: string, traits?: Parameters<typeof keyRow>[0]): Promise<Client>;
  obtain(client: Client): Promise<string>;
  /** Posts a form, as this client unless it is `undefined`. */
  post(path: string, client: Client | undefined, form: Readonly<Record<string, string>>): Promise<Answer>;
  introspect(client: Client, token: string): Promise<unknown>;
  revoke(client: Client, token: string): Promise<number>;
  /** An API whose process has this store. */
  apiOf(store: CredentialStore): Promise<TokenApi & { readonly verifier: CredentialVerifier }>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function issuingStore(
  store: CredentialStore,
  options: Partial<IssuerOptions> = {},
): Promise<IssuingStore> {
  const clock = createManualClock();
  const signingKeys = memorySigningKeys();
  const closing: (() => Promise<void>)[] = [];
  let url = '';
  const served = await serveApp((app) => {
    app.use((req, res, next) => issuer(req, res, next));
  });
  url = `http://127.0.0.1:${served.port}`;
  const issuer = createIssuer({
    ...{ issuer: url, audience: AUDIENCE, accessKeys: store, signingKeys, algorithm: 'ES256', clock },
    ...{ introspection: {}, revocation: true },
    ...options,
  });

  async function post(path: string, client: Client | undefined, form: Readonly<Record<string, string>>) {
    const headers = client === undefined ? {} : basic(client.id, client.secret);
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  }

  return {
    url,
    clock,
    post,
    async client(id, traits = {}) {
      const secret = `secret-of-${id}`;
      const scopes = { scopes: '["payments","disputes"]', default_scopes: '["payments"]' };
      await store.repository.transact(async (tx) => {
        await needAccount(tx, 'acme');
        await tx.insertKey(keyRow({ id, kind: 'access', apis: null, ...scopes, ...traits }), [secretRow(id, secret)]);
      });
      return { id, secret };
    },
    async obtain(client) {
      const { body } = await post('/connect/token', client, { grant_type: 'client_credentials' });
      return String(body.access_token);
    },
    introspect: async (client, token) => (await post('/connect/introspect', client, { token })).body,
    revoke: async (client, token) => (await post('/connect/revocation', client, { token })).status,
    async apiOf(other) {
      const verifier = accessTokens({ issuer: url, audience: AUDIENCE, accessKeys: other, clock });
      const api = await serveTokenApi([verifier]);
      closing.push(() => api.close());
      return { ...api, verifier };
    },
    async close() {
      for (const close of closing) await close();
      await served.close();
    },
  };
}
