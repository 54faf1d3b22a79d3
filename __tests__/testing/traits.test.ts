import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { bearerErrors, requireBearer } from 'keyward';
import { createTestKit, type KeyTraits, type TokenTraits } from 'keyward/testing';
import request from 'supertest';

type Kit = ReturnType<typeof createTestKit>;
type Principal = Readonly<Record<string, unknown>>;

const NOW = new Date('2030-01-01T12:00:00.500Z');
const SECONDS = Math.floor(NOW.getTime() / 1_000);

function appOf(kit: Kit) {
  const app = express();
  app.use(requireBearer({ accept: [...kit.accept, kit.introspection().verifier] }));
  app.get('/', (req, res) => void res.json((req as { auth?: unknown }).auth));
  return app.use(bearerErrors());
}

const ask = (kit: Kit, credential: string) => request(appOf(kit)).get('/').set('Authorization', `Bearer ${credential}`);
const principalOf = async (kit: Kit, credential: string): Promise<Principal> => {
  const { status, body } = await ask(kit, credential);
  expect(status).toBe(200);
  return body;
};

describe('the traits of a credential', () => {
  const kit = createTestKit({ now: NOW });
  const common = {
    ...{ account: 'acc_1', channels: ['pc_1'], platform: 'shop', metadata: { team: 'checkout' } },
    ...{ limits: [{ requests: 5, seconds: 60 }] },
  };

  it('of a key are those of its principal', async () => {
    const key = kit.secretKey({ ...common, apis: ['payments'], scopes: ['payments:refund'] });
    expect(await principalOf(kit, key)).toMatchObject({
      ...{ account: 'acc_1', kind: 'secret', environment: 'live', channels: ['pc_1'], platform: 'shop' },
      ...{ metadata: { team: 'checkout' }, apis: ['payments'], scopes: ['payments:refund'] },
    });
  });

  it('of a token are those of its access key', async () => {
    const token = await kit.accessToken({ ...common, scopes: ['payments'], clientId: 'ack_1' });
    expect(await principalOf(kit, token)).toMatchObject({
      ...{ account: 'acc_1', kind: 'access', environment: 'live', channels: ['pc_1'], platform: 'shop' },
      ...{ metadata: { team: 'checkout' }, scopes: ['payments'], clientId: 'ack_1' },
    });
  });

  it('by default: all APIs for a secret key, none for a public key, and no scopes for a token', async () => {
    expect(await principalOf(kit, kit.secretKey())).toMatchObject({
      account: 'acc_test',
      apis: 'all',
      channels: 'all',
    });
    expect(await principalOf(kit, kit.publicKey())).toMatchObject({ account: 'acc_test', apis: [], kind: 'public' });
    expect(await principalOf(kit, await kit.accessToken())).toMatchObject({ account: 'acc_test', scopes: [] });
  });

  it.each<[string, Partial<KeyTraits>]>([
    ['an address that is not the own one', { allowedAddresses: ['203.0.113.7'] }],
    ['an end that has come', { expiresAt: NOW }],
  ])('%s is refused', async (_what, traits) => {
    expect((await ask(kit, kit.secretKey(traits))).status).toBe(401);
  });

  it('an end that has not come is accepted, and expired comes before expiresAt', async () => {
    const expiresAt = new Date(NOW.getTime() + 1);
    await principalOf(kit, kit.secretKey({ expiresAt }));
    expect((await ask(kit, kit.secretKey({ expiresAt, expired: true }))).status).toBe(401);
  });

  it('two credentials of the kit are never the same', async () => {
    const keys = [await principalOf(kit, kit.secretKey()), await principalOf(kit, kit.secretKey())];
    expect(keys[0]?.keyId).not.toBe(keys[1]?.keyId);
    const tokens = await Promise.all([1, 2].map(async () => decodeJwt(await kit.accessToken())));
    expect(tokens[0]?.client_id).not.toBe(tokens[1]?.client_id);
    expect(tokens[0]?.jti).not.toBe(tokens[1]?.jti);
  });
});

describe('the claims of a token', () => {
  const kit = createTestKit({ now: NOW, audience: 'https://api.test' });

  it('are those of RFC 9068', async () => {
    const token = await kit.accessToken({ clientId: 'ack_1', scopes: ['a', 'b'] });
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(decodeJwt(token)).toEqual({
      ...{ iss: kit.issuer, aud: 'https://api.test', sub: 'ack_1', client_id: 'ack_1', scope: 'a b' },
      ...{ iat: SECONDS, exp: SECONDS + 3_600, jti: expect.any(String) },
    });
    expect(kit.issuer).toBe('https://issuer.keyward.test');
  });

  it.each<[string, TokenTraits, object]>([
    ['of another time', { expiresIn: 60 }, { iat: SECONDS - 3_540, exp: SECONDS + 60 }],
    ['of a longer time', { expiresIn: 7_200 }, { iat: SECONDS, exp: SECONDS + 7_200 }],
    ['of one that has expired', { expired: true }, { iat: SECONDS - 3_601, exp: SECONDS - 1 }],
    ['of one that expired earlier', { expiresIn: -10 }, { iat: SECONDS - 3_610, exp: SECONDS - 10 }],
    ['that are given', { claims: { sub: 'x', extra: 1 } }, { sub: 'x', extra: 1 }],
  ])('%s', async (_what, traits, claims) => {
    expect(decodeJwt(await kit.accessToken(traits))).toMatchObject(claims);
  });

  it('that are undefined are left out', async () => {
    expect(decodeJwt(await kit.accessToken({ claims: { aud: undefined } }))).not.toHaveProperty('aud');
  });

  const senders = createTestKit({ dpop: { origin: 'https://api.test' }, mtls: {} });
  const [dpop, certificate, client] = [senders.dpop(), senders.certificate(), senders.assertion()];
  const claims = { extra: 1 };

  it.each<[string, () => Promise<string>, object]>([
    ['an access token', () => kit.accessToken({ clientId: 'ack_1', claims }), { iss: kit.issuer, sub: 'ack_1' }],
    ['a token that is bound to a DPoP key', () => dpop.token({ claims }), { cnf: dpop.confirmation }],
    ['a token that is bound to a certificate', () => certificate.token({ claims }), { cnf: certificate.confirmation }],
    ['a proof', () => dpop.proof({ method: 'GET', url: '/a', claims }), { htm: 'GET', htu: 'https://api.test/a' }],
    ['an assertion', () => client.sign({ audience: 'https://a.test', claims }), { iss: client.clientId }],
  ])('of %s are added to its default claims', async (_what, sign, defaults) => {
    expect(decodeJwt(await sign())).toMatchObject({ ...defaults, ...claims });
  });

  it.each([
    ['a DPoP key', dpop],
    ['a certificate', certificate],
  ])('of a token that is bound to %s may replace or remove cnf', async (_what, sender) => {
    const cnf = { jkt: 'another' };
    expect(decodeJwt(await sender.token({ claims: { cnf } })).cnf).toEqual(cnf);
    expect(decodeJwt(await sender.token({ claims: { cnf: undefined } }))).not.toHaveProperty('cnf');
  });

  it('of an opaque token are its response', async () => {
    const { introspection } = kit;
    const token = introspection().token({ clientId: 'ack_1', scopes: ['a', 'b'], expiresIn: 60 });
    expect(await principalOf(kit, token)).toMatchObject({
      ...{ kind: 'access', clientId: 'ack_1', scopes: ['a', 'b'], environment: 'live' },
      payload: { iss: kit.issuer, aud: 'https://api.test', sub: 'ack_1', iat: SECONDS, exp: SECONDS + 60 },
    });
    const byDefault = introspection().token();
    expect(await principalOf(kit, byDefault)).toMatchObject({ scopes: [], payload: { exp: SECONDS + 3_600 } });
    expect(introspection().token()).not.toBe(byDefault);
  });

  it('of an assertion are those of RFC 7523', async () => {
    const client = kit.assertion();
    expect(client.publicKeys).toMatchObject([{ kty: 'EC', crv: 'P-256', alg: 'ES256' }]);
    const claims = decodeJwt(await client.sign({ audience: 'https://a.test' }));
    expect(claims).toEqual({
      ...{ iss: client.clientId, sub: client.clientId, aud: 'https://a.test', jti: expect.any(String) },
      ...{ iat: SECONDS, exp: SECONDS + 60 },
    });
    const other = decodeJwt(await client.sign({ audience: 'https://a.test', expired: true }));
    expect([other.iat, other.exp, other.jti === claims.jti]).toEqual([SECONDS - 2, SECONDS - 1, false]);
    const earlier = decodeJwt(await client.sign({ audience: 'https://a.test', expiresIn: -10 }));
    expect([earlier.iat, earlier.exp]).toEqual([SECONDS - 11, SECONDS - 10]);
    const { header, id } = {
      header: decodeProtectedHeader(await client.sign({ audience: 'x' })),
      id: client.publicKeys,
    };
    expect(header).toMatchObject({ alg: 'ES256', kid: (id[0] as { kid?: string }).kid });
  });

  it('of a proof are those of RFC 9449', async () => {
    const origin = 'https://api.test';
    const sender = createTestKit({ now: NOW, dpop: { origin: [origin, 'https://www.test'] } }).dpop();
    const claims = decodeJwt(await sender.proof({ method: 'GET', url: '/a?b=1', token: 'token', nonce: 'n' }));
    expect(claims).toEqual({
      ...{ htm: 'GET', htu: `${origin}/a`, iat: SECONDS, jti: expect.any(String), nonce: 'n' },
      ath: 'PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A',
    });
    const other = decodeJwt(await sender.proof({ method: 'GET', url: 'https://www.test/', expired: true }));
    expect(other).toMatchObject({ htu: 'https://www.test/', iat: SECONDS - 301 });
    expect([Object.hasOwn(other, 'ath'), Object.hasOwn(other, 'nonce')]).toEqual([false, false]);
  });
});

describe('the environment of a test kit', () => {
  it.each([
    ['live', 'sk_', 'sk_sbox_'],
    ['sandbox', 'sk_sbox_', 'sk_'],
  ] as const)('%s is that of its verifiers and of its credentials', async (environment, own, other) => {
    const kit = createTestKit({ environment });
    expect(kit.secretKey()).toMatch(new RegExp(`^${own}[a-z2-7]{27}$`));
    expect(kit.secretKey({ otherEnvironment: true })).toMatch(new RegExp(`^${other}[a-z2-7]{27}$`));
    const opaque = kit.introspection().token();
    for (const credential of [kit.secretKey(), await kit.accessToken(), opaque]) {
      expect(await principalOf(kit, credential)).toMatchObject({ environment });
    }
    for (const credential of [
      kit.secretKey({ otherEnvironment: true }),
      await kit.accessToken({ otherEnvironment: true }),
    ]) {
      expect((await ask(kit, credential)).status).toBe(401);
    }
  });

  it('is one of two', () => {
    expect(() => createTestKit({ environment: 'test' as 'live' })).toThrow('createTestKit: option "environment"');
    expect(() => createTestKit({ env: 'live' } as object)).toThrow('createTestKit: unknown option "env"');
  });
});

describe('a test kit', () => {
  it('starts its clock at the option now, or now', () => {
    expect(createTestKit({ now: NOW }).clock.now()).toBe(NOW.getTime());
    const before = Date.now();
    const started = createTestKit().clock.now();
    expect(started).toBeGreaterThanOrEqual(before);
    expect(started).toBeLessThanOrEqual(Date.now());
  });

  it('has one verifier for each set of kinds, which accepts those kinds only', async () => {
    const kit = createTestKit();
    const app = express().use(requireBearer({ accept: [kit.keys('public')] }), (_req, res) => void res.sendStatus(204));
    const status = async (key: string) => (await request(app).get('/').set('Authorization', `Bearer ${key}`)).status;
    expect([await status(kit.publicKey()), await status(kit.secretKey())]).toEqual([204, 401]);
    expect(kit.keys('public')).toBe(kit.keys('public'));
    expect(kit.keys('public')).not.toBe(kit.keys('secret'));
    expect(() => kit.keys('access' as 'secret')).toThrow('keys');
  });

  it('passes the option apis to its verifiers', async () => {
    const kit = createTestKit({ apis: { apisOf: (scope) => (scope === 'payments:refund' ? ['payments'] : []) } });
    expect(await principalOf(kit, await kit.accessToken({ scopes: ['payments:refund'] }))).toMatchObject({
      apis: ['payments'],
    });
  });

  it('revokes only its own credentials', async () => {
    const [kit, other] = [createTestKit(), createTestKit()];
    for (const foreign of [other.secretKey(), await other.accessToken(), 'x', 'a.b.c', other.introspection().token()]) {
      expect(() => kit.revoke(foreign)).toThrow(
        new TypeError('kit.revoke: the credential was not issued by this test kit'),
      );
    }
  });

  it('revokes a token with every other token of its client', async () => {
    const kit = createTestKit();
    const [one, two] = [await kit.accessToken({ clientId: 'ack_1' }), await kit.accessToken({ clientId: 'ack_1' })];
    const other = await kit.accessToken();
    for (const token of [one, two, other]) await principalOf(kit, token);
    kit.revoke(one);
    expect((await ask(kit, two)).status).toBe(401);
    await principalOf(kit, other);
  });

  it('has a certificate that is valid for years, and a key that signs for it', () => {
    const { certificate, privateKey, confirmation, field } = createTestKit({ mtls: {} }).certificate();
    const other = createTestKit({ mtls: {} }).certificate();
    expect(certificate).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(field).toMatch(/^:[\w+/]+=*:$/);
    expect(confirmation['x5t#S256']).toMatch(/^[\w-]{43}$/);
    expect(other.confirmation).not.toEqual(confirmation);
  });
});
