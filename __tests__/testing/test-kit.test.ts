import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { decodeJwt } from 'jose';
import { bearerErrors, requireApi, requireBearer, requireScopes } from 'keyward';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';

describe('createTestKit', () => {
  const kit = createTestKit();
  const app = express();
  app.use('/payments', requireBearer({ accept: kit.accept }), requireApi('payments'));
  app.get('/payments', (req, res) => {
    res.json({ auth: (req as { auth?: unknown }).auth });
  });
  app.post('/payments/refunds', requireScopes('payments:refund'), (_req, res) => {
    res.json({});
  });
  app.use(bearerErrors());
  const get = (credential: string) => request(app).get('/payments').set('Authorization', `Bearer ${credential}`);

  it('creates credentials that the real verifiers accept', async () => {
    const first = await get(kit.secretKey({ apis: ['payments'] }));
    expect([first.status, first.body]).toMatchObject([200, { auth: { kind: 'secret', apis: ['payments'] } }]);
    const second = await get(await kit.accessToken({ scopes: ['payments'] }));
    expect([second.status, second.body]).toMatchObject([200, { auth: { kind: 'access', scopes: ['payments'] } }]);
    expect((await get(kit.publicKey({ apis: ['payments'] }))).status).toBe(200);
    expect((await get(kit.publicKey())).status).toBe(403);
  });

  it('makes tokens of an hour, as the issuer does', async () => {
    const { iat, exp } = decodeJwt(await kit.accessToken());
    expect(Number(exp) - Number(iat)).toBe(3_600);
  });

  it('makes tokens of more than an hour, which were issued now', async () => {
    const token = await kit.accessToken({ expiresIn: 7_200, scopes: ['payments'] });
    const { iat, exp } = decodeJwt(token);
    expect(Number(exp) - Number(iat)).toBe(7_200);
    expect((await get(token)).status).toBe(200);
  });

  it.each([
    ['expired', { expired: true }],
    ['revoked', { revoked: true }],
    ['disabled', { disabled: true }],
    ['foreign', { foreign: true }],
    ['of the other environment', { otherEnvironment: true }],
  ])('creates one that is %s, and it is refused', async (_name, traits) => {
    for (const credential of [
      kit.secretKey(traits),
      kit.publicKey({ ...traits, apis: ['payments'] }),
      await kit.accessToken({ ...traits, scopes: ['payments'] }),
    ]) {
      const response = await get(credential);
      expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
    }
  });

  it('revokes: the next request is refused', async () => {
    for (const credential of [kit.secretKey(), await kit.accessToken({ scopes: ['payments'] })]) {
      expect((await get(credential)).status).toBe(200);
      expect((await get(credential)).status).toBe(200);
      kit.revoke(credential);
      expect((await get(credential)).status).toBe(401);
    }
  });

  it('revokes for every verifier of the kit', async () => {
    const other = express();
    other.use(requireBearer({ accept: [kit.keys('secret')] }), (_req, res) => void res.sendStatus(204));
    const ask = (key: string) => request(other).get('/').set('Authorization', `Bearer ${key}`);
    const key = kit.secretKey();
    expect((await ask(key)).status).toBe(204);
    kit.revoke(key);
    expect((await ask(key)).status).toBe(401);
  });

  it('checks a token against the latest traits of its client', async () => {
    const traits = { clientId: 'ack_twice', scopes: ['payments'] };
    expect((await get(await kit.accessToken(traits))).status).toBe(200);
    expect((await get(await kit.accessToken({ ...traits, revoked: true }))).status).toBe(401);
  });

  it('a second token of a client takes no scope from the first one', async () => {
    const clientId = 'ack_two_tokens';
    const first = await kit.accessToken({ clientId, scopes: ['payments'] });
    const second = await kit.accessToken({ clientId, scopes: ['disputes', 'payments:refund'] });
    const scopes = async (token: string) => (await get(token)).body.auth?.scopes;
    expect(await scopes(first)).toEqual(['payments']);
    expect(await scopes(second)).toEqual(['disputes', 'payments:refund']);
  });

  it('a second token of a client does not undo its revocation', async () => {
    const traits = { clientId: 'ack_revoked', scopes: ['payments'] };
    const first = await kit.accessToken(traits);
    kit.revoke(first);
    const second = await kit.accessToken(traits);
    expect([(await get(first)).status, (await get(second)).status]).toEqual([401, 401]);
  });

  it('simulates an outage for access tokens too', async () => {
    const token = await kit.accessToken({ scopes: ['payments'] });
    kit.outage(true);
    expect((await get(token)).status).toBe(503);
    kit.outage(false);
    expect((await get(token)).status).toBe(200);
  });

  it('simulates an outage: 503, and cached credentials stay valid for their time', async () => {
    const warm = kit.secretKey();
    await get(warm);
    kit.outage(true);
    expect((await get(warm)).status).toBe(200);
    const cold = await get(kit.secretKey());
    expect([cold.status, cold.headers['retry-after'], cold.headers['www-authenticate']]).toEqual([503, '1', undefined]);
    kit.clock.advance(30_001);
    expect((await get(warm)).status).toBe(503);
    kit.outage(false);
    expect((await get(warm)).status).toBe(200);
  });
});

describe('an impossible trait throws when the credential is created', () => {
  const kit = createTestKit();
  const text = 'a non-empty string';
  const names = 'expected "all" or a list of non-empty strings';
  const scopes =
    'expected a list of scopes that consist of ASCII characters other than spaces, double quotes and backslashes';

  const common: [string, object, string][] = [
    ['an unknown one', { api: [] }, 'unknown option "api"; the options are account, channels, platform, metadata'],
    ['an account of no text', { account: '' }, 'account: expected a non-empty string'],
    ['channels as a text', { channels: 'pc_1' }, `channels: ${names}`],
    ['scopes as a text', { scopes: 'payments' }, `scopes: ${scopes}`],
    ['scopes that are none', { scopes: ['a b'] }, `scopes: ${scopes}`],
    [
      'a platform without channels',
      { platform: 'shop' },
      'channels: a key for an e-commerce platform must have exactly one channel',
    ],
    ['a platform with two', { platform: 'shop', channels: ['a', 'b'] }, 'channels: a key for an e-commerce platform'],
    ['a flag as a text', { revoked: 'no' }, 'option "revoked" must be a boolean, got a string'],
    ['disabled as a number', { disabled: 0 }, 'option "disabled" must be a boolean, got a number'],
    [
      'one that is wrong on a foreign credential too',
      { foreign: true, account: '' },
      'account: expected a non-empty string',
    ],
    [
      'or on one of the other environment',
      { otherEnvironment: true, account: '' },
      'account: expected a non-empty string',
    ],
  ];
  const ofKeys: [string, object, string][] = [
    ...common,
    ['APIs as a text', { apis: 'payments' }, `apis: ${names}`],
    ['an end that is no date', { expiresAt: '2030-01-01' }, 'expiresAt: expected a Date'],
  ];

  it.each(ofKeys)('of a secret key: %s', (_name, traits, message) => {
    expect(() => kit.secretKey(traits)).toThrow(TypeError);
    expect(() => kit.secretKey(traits)).toThrow(`secretKey: ${message}`);
  });

  it.each<[string, object, string]>([
    ...ofKeys,
    ['all APIs', { apis: 'all' }, 'apis: a public API key must list its APIs; "all" is not allowed'],
  ])('of a public key: %s', (_name, traits, message) => {
    expect(() => kit.publicKey(traits)).toThrow(TypeError);
    expect(() => kit.publicKey(traits)).toThrow(`publicKey: ${message}`);
  });

  it.each<[string, object, string]>([
    ...common,
    ['a client of no text', { clientId: '' }, `option "clientId" must be ${text}, got an empty string`],
    ['a time as a text', { expiresIn: '60' }, 'option "expiresIn" must be a number from -1000000000 to 1000000000'],
    ['no time', { expiresIn: Number.NaN }, 'option "expiresIn" must be a number'],
    ['claims as a text', { claims: 'sub' }, 'option "claims" must be an object, got a string'],
  ])('of an access token: %s', async (_name, traits, message) => {
    await expect(kit.accessToken(traits)).rejects.toThrow(TypeError);
    await expect(kit.accessToken(traits)).rejects.toThrow(`accessToken: ${message}`);
  });

  it('an invalid time of the clock throws too', () => {
    expect(() => createTestKit({ now: new Date(Number.NaN) })).toThrow(
      new TypeError('createTestKit: option "now" must be a Date, got an object'),
    );
  });
});
