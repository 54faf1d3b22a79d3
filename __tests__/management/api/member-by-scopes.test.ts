import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import {
  accessTokens,
  apiKeys,
  apiMap,
  bearerErrors,
  type CredentialVerifier,
  type KeywardError,
  requireBearer,
} from 'keyward';
import { createManagementApi, memberByScopes } from 'keyward/management';
import { HAS, managed } from '../../support/managed.js';
import { serve } from '../../support/raw-http.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../../support/token-forge.js';

const SCOPES = ['admin', 'keys:read', 'keys:write', 'keys:manage'];
const KEYS = { ...HAS, apis: [...HAS.apis, 'keys'], scopes: [...HAS.scopes, ...SCOPES] };
const IMPLIES = {
  admin: ['keys:manage'],
  'keys:manage': ['keys:write'],
  'keys:write': ['keys:read'],
};

describe('memberByScopes behind verifiers whose scopes imply others', () => {
  const setup = managed('memory');
  const signer = createKey('ES256');
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const { store, management, clock } = setup;
    const apis = apiMap({ payments: ['payments', 'admin'], keys: SCOPES }, { implies: IMPLIES });
    const keys = apiKeys({ resolver: store, kinds: ['secret'], environment: 'live', apis, clock });
    const tokens = accessTokens({
      ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), accessKeys: store, apis, clock },
    });
    const api = createManagementApi({ management, memberOf: memberByScopes() });
    const app = express();
    app.use('/api', requireBearer({ accept: [keys, tokens] }), api);
    app.use('/copied', requireBearer({ accept: [copying(keys)] }), api);
    const memberOf = memberByScopes();
    const sandbox = apiKeys({ resolver: store, kinds: ['secret'], environment: 'sandbox', apis, clock });
    app.get('/member', requireBearer({ accept: [keys] }), (req, res) => void res.json(memberOf(req)));
    app.get('/sandbox-member', requireBearer({ accept: [sandbox] }), (req, res) => void res.json(memberOf(req)));
    app.use('/optional', requireBearer({ accept: [keys], optional: true }), api);
    app.use('/without-account', requireBearer({ accept: [withoutAccount(keys)] }), api);
    app.use('/bare', api);
    app.use('/bare', (error: KeywardError, _req: unknown, res: express.Response, _next: unknown) => {
      res.status(500).json({ name: error.name, code: error.code, message: error.message });
    });
    app.use(bearerErrors({ format: 'problem' }));
    const served = await serve(app, { keepAliveTimeout: 600_000 });
    url = `http://127.0.0.1:${served.port}`;
    close = served.close;
  });
  afterAll(() => close());

  /** Wraps a verifier as a user does who adds something to each principal. */
  const copying = (inner: CredentialVerifier): CredentialVerifier => ({
    async verify(credential) {
      const outcome = await inner.verify(credential);
      if (outcome.outcome !== 'accepted') return outcome;
      return { ...outcome, principal: { ...outcome.principal, metadata: { tenant: 't1' } } };
    },
  });

  /** Makes a verifier whose principals belong to no account, as those of another issuer's tokens. */
  const withoutAccount = (inner: CredentialVerifier): CredentialVerifier => ({
    async verify(credential) {
      const outcome = await inner.verify(credential);
      if (outcome.outcome !== 'accepted') return outcome;
      return { ...outcome, principal: { ...outcome.principal, account: undefined } as never };
    },
  });

  /** What a credential may do: list, create and revoke keys. */
  async function statusesOf(credential: string | undefined, path = '/api') {
    const { key } = await (await setup.account(KEYS)).key();
    const statuses: number[] = [];
    for (const [method, to, body] of [
      ['GET', '/keys', undefined],
      ['POST', '/keys', { kind: 'secret', apis: ['payments'] }],
      ['DELETE', `/keys/${key.id}`, undefined],
    ] as const) {
      const response = await fetch(`${url}${path}${to}`, {
        method,
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      statuses.push(response.status);
    }
    return statuses;
  }

  // 404: an owner, who may not revoke the key of another account.
  it.each([
    ['admin', [403, 403, 403]],
    ['keys:read', [200, 403, 403]],
    ['keys:write', [200, 201, 403]],
    ['keys:manage', [200, 201, 404]],
  ])('a secret key with %s', async (scope, expected) => {
    const { owner } = await setup.account(KEYS);
    const settings = { kind: 'secret', apis: ['payments', 'keys'], scopes: [scope] } as const;
    const { secret } = await setup.management.keys.create(owner, settings);
    expect(await statusesOf(secret)).toEqual(expected);
    expect(await statusesOf(secret, '/copied')).toEqual(expected);
    const { secret: unlimited } = await setup.management.keys.create(owner, { ...settings, apis: 'all' });
    expect(await statusesOf(unlimited)).toEqual(expected);
  });

  it('a secret key that lists a broad scope and a narrow one', async () => {
    const { owner } = await setup.account(KEYS);
    const settings = { kind: 'secret', apis: 'all', scopes: ['admin', 'keys:write'] } as const;
    expect(await statusesOf((await setup.management.keys.create(owner, settings)).secret)).toEqual([200, 201, 403]);
  });

  it.each([
    ['admin', ['admin'], [403, 403, 403]],
    ['keys:manage', ['keys:manage'], [200, 201, 404]],
    ['admin keys:manage', ['admin', 'keys:manage'], [200, 201, 404]],
    ['admin keys:write', ['admin', 'keys:write'], [200, 201, 403]],
    // The token lists the scope, but its access key only implies it.
    ['keys:manage', ['admin'], [403, 403, 403]],
    // The access key lists the scope, but the token only implies it.
    ['admin', ['admin', 'keys:manage'], [403, 403, 403]],
  ])('an access token with %s of an access key with %j', async (scope, scopes, expected) => {
    const { owner } = await setup.account(KEYS);
    const { key } = await setup.management.accessKeys.create(owner, { scopes });
    expect(await statusesOf(forge(signer, { sub: key.id, client_id: key.id, scope }))).toEqual(expected);
  });

  it('the member has the permissions of the listed scopes, and no others', async () => {
    const { id, owner } = await setup.account(KEYS);
    const scopes = ['admin', 'keys:write', 'keys:read', 'payments'];
    const { key, secret } = await setup.management.keys.create(owner, { kind: 'secret', apis: 'all', scopes });
    const response = await fetch(`${url}/member`, { headers: { authorization: `Bearer ${secret}` } });
    expect(await response.json()).toEqual({
      ...{ id: key.id, account: id, permissions: ['reader', 'developer'], address: '127.0.0.1' },
    });
  });

  it('the member of a sandbox key is limited to the sandbox', async () => {
    const { owner } = await setup.account(KEYS);
    const settings = { kind: 'secret', apis: 'all', scopes: ['keys:read'], environment: 'sandbox' } as const;
    const { secret } = await setup.management.keys.create(owner, settings);
    const response = await fetch(`${url}/sandbox-member`, { headers: { authorization: `Bearer ${secret}` } });
    expect(await response.json()).toMatchObject({ permissions: ['reader'], environment: 'sandbox' });
  });

  it('nobody is a member without a credential, or with one that belongs to no account', async () => {
    const { owner } = await setup.account(KEYS);
    const settings = { kind: 'secret', apis: 'all', scopes: ['keys:read'] } as const;
    const { secret } = await setup.management.keys.create(owner, settings);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${url}/optional/keys`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/optional/keys`)).status).toBe(401);
    expect((await fetch(`${url}/without-account/keys`, { headers })).status).toBe(401);
  });

  it('without requireBearer, the error says what to mount', async () => {
    const response = await fetch(`${url}/bare/keys`);
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        ...{ name: 'KeywardError', code: 'gate_not_passed' },
        message: 'keyward: requireBearer has not accepted this request; mount requireBearer before the management API',
      },
    ]);
  });
});
