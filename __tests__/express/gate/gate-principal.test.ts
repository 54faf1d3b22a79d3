import { describe, expect, it } from '@jest/globals';
import express from 'express';
import {
  type Accepted,
  accessTokens,
  apiKeys,
  authOf,
  type BearerError,
  bearerErrors,
  type CredentialVerifier,
  type Gate,
  KeywardError,
  memoryReplayCache,
  type Principal,
  requireBearer,
  requireScopes,
} from 'keyward';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { authContextOf } from '../../../lib/express/gate/request-principal.js';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { U0 } from '../../support/answers.js';
import { bearing, pass, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier } from '../../support/stub-verifier.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, NOW } from '../../support/token-forge.js';

const first = keyPrincipal({ keyId: 'first' });
const second = keyPrincipal({ keyId: 'second' });
const outer = requireBearer({ accept: [acceptingVerifier(first)] });
const inner = requireBearer({ accept: [acceptingVerifier(second)] });

describe('gate.principal', () => {
  it('is the principal that the gate accepted, also after later gates', async () => {
    const { req } = await pass(bearing('abc'), outer, inner);
    expect([outer.principal(req), inner.principal(req)]).toEqual([first, second]);
    expect((req as { auth?: unknown }).auth).toBe(second);
  });

  it('is undefined behind an optional gate without a credential', async () => {
    const optional = requireBearer({ accept: [acceptingVerifier(first)], optional: true });
    const { req } = await pass(requestOf(), optional);
    expect(optional.principal(req)).toBeUndefined();
  });

  const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
  const named = requireBearer({ accept: [keys] });
  it.each([
    ['of no gate', async () => (await pass(requestOf())).req],
    ['of another gate', async () => (await pass(bearing('abc'), outer)).req],
    ['that the gate refused', async () => (await pass(bearing('sk_nobody'), named)).req],
    ['that the gate accepted, and a later gate refused', async () => (await pass(bearing('abc'), outer, named)).req],
  ])('R16 throws for a request %s, and names the gate', async (_name, make) => {
    const req = await make();
    const read = () => named.principal(req);
    expect(read).toThrow(KeywardError);
    expect(read).toThrow(
      'the gate "requireBearer for live secret keys" has not accepted the request; mount it before the handler that calls principal()',
    );
  });

  it('R16 throws for a request that a later gate refused, also at the gate that accepted it', async () => {
    const { req } = await pass(bearing('abc'), outer, named);
    expect(() => outer.principal(req)).toThrow('requireBearer for credentials checked by a custom verifier');
  });
});

describe('gates that share a verifier', () => {
  const kit = createTestKit();
  const key = createKey('ES256');
  const clock = { now: () => NOW * 1_000, monotonic: () => 0 };
  const options = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock };
  const dpop = { origin: 'https://api.test', replay: memoryReplayCache() };
  const { verifier: introspected, token: opaque } = kit.introspection();
  const verifiers: [string, () => CredentialVerifier, () => string][] = [
    ['access tokens', () => accessTokens(options), () => forge(key)],
    ['access tokens that may be bound to a key', () => accessTokens({ ...options, dpop }), () => forge(key)],
    ['access tokens that are not cached', () => accessTokens({ ...options, cache: false }), () => forge(key)],
    ['opaque tokens', () => introspected, () => opaque()],
    ['API keys', () => kit.keys('secret'), () => kit.secretKey({ scopes: ['payments'] })],
  ];

  describe.each(verifiers)('%s', (_name, make, mint) => {
    const credential = mint();

    it('answer for their own requests only', async () => {
      const accept = [make()];
      const [one, other] = [requireBearer({ accept }), requireBearer({ accept, realm: 'other' })];
      for (let time = 1; time <= 3; time += 1) {
        const { req: byOne } = await pass(bearing(credential), one);
        const { req: byOther } = await pass(bearing(credential), other);
        expect(one.principal(byOne)).toEqual(other.principal(byOther));
        expect(() => one.principal(byOther)).toThrow('has not accepted the request');
        expect(() => other.principal(byOne)).toThrow('has not accepted the request');
      }
    });

    it('answer both for a request that passed both, in either order', async () => {
      const accept = [make()];
      const [one, other, third] = [requireBearer({ accept }), requireBearer({ accept }), requireBearer({ accept })];
      for (const order of [[one, other] as const, [other, one] as const, [other, one] as const]) {
        const { req } = await pass(bearing(credential), ...order);
        expect(one.principal(req)).toMatchObject({ kind: expect.any(String) });
        expect(other.principal(req)).toEqual(authOf(req));
        expect(() => third.principal(req)).toThrow('has not accepted the request');
      }
    });

    it('let guards refuse with the challenge of the gate that let the request pass', async () => {
      const accept = [make()];
      const gates = ['one', 'other'].map((realm) => requireBearer({ accept, realm }));
      const guard = requireScopes('absent');
      for (const realm of [0, 1, 0, 1]) {
        const { error } = await pass(bearing(credential), gates[realm] as Gate, guard);
        const named = `realm="${['one', 'other'][realm]}"`;
        expect((error as BearerError).headers['WWW-Authenticate']).toContain(named);
      }
    });

    it('a verifier around it may give another principal', async () => {
      const inner = make();
      const wrapper: CredentialVerifier = {
        async verify(presented) {
          const outcome = await inner.verify(presented);
          if (outcome.outcome !== 'accepted') return outcome;
          return { ...outcome, principal: { ...outcome.principal, scopes: [], account: 'narrowed' } as Principal };
        },
      };
      const [gate, plain] = [requireBearer({ accept: [wrapper] }), requireBearer({ accept: [inner] })];
      for (let time = 1; time <= 2; time += 1) {
        expect(authOf((await pass(bearing(credential), gate)).req)).toMatchObject({ account: 'narrowed', scopes: [] });
        expect(authOf((await pass(bearing(credential), plain)).req)).not.toMatchObject({ account: 'narrowed' });
      }
    });
  });

  it('leave the cache entry to the gate that stores it, if another gate accepted the key before', async () => {
    const accept = [kit.keys('secret')];
    const [second, alone] = [requireBearer({ accept }), requireBearer({ accept })];
    const key = kit.secretKey();
    await pass(bearing(key), outer, second);
    const [one, other] = [(await pass(bearing(key), alone)).req, (await pass(bearing(key), alone)).req];
    expect(authContextOf(other)).toBe(authContextOf(one));
  });

  it.each(verifiers)('the outcome of %s can be copied, without its cache entry', async (_name, make, mint) => {
    const verifier = make();
    const [presented, gate] = [new PresentedCredential(mint()), requireBearer({ accept: [verifier] })];
    await pass(bearing(presented.reveal()), gate);
    const { outcome, principal, ...rest } = (await verifier.verify(presented)) as Accepted;
    expect(structuredClone({ outcome, principal, ...rest })).toEqual({ outcome: 'accepted', principal });
    expect(Object.values(rest)).toEqual(Object.values(rest).filter((value) => value === undefined));
  });

  it.each(verifiers.filter(([name]) => !name.endsWith('not cached')))(
    'need no new object for a cached credential: %s',
    async (_name, make, mint) => {
      const credential = mint();
      const gate = requireBearer({ accept: [make()] });
      const contexts: unknown[] = [];
      for (let time = 1; time <= 3; time += 1) {
        const { req } = await pass(bearing(credential), gate);
        contexts.push(authContextOf(req));
      }
      expect(contexts[1]).toBe(contexts[0]);
      expect(contexts[2]).toBe(contexts[0]);
    },
  );
});

describe('requireBearer({ issuer, audience })', () => {
  const key = createKey('ES256');
  const clock = { now: () => NOW * 1_000, monotonic: () => 0 };
  const options = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock };

  it('R14 is short for a list of one verifier, and accepts the options of both', async () => {
    const gate = requireBearer({ ...options, realm: 'pay', scopes: ['payments'] });
    const { req, passed } = await pass(bearing(forge(key)), gate);
    expect(passed).toBe(true);
    expect(gate.principal(req)).toMatchObject({ kind: 'access', clientId: 'ack_forged', scopes: ['payments'] });
    expect((await pass(bearing(forge(key, { aud: 'other' })), gate)).error).toMatchObject({ code: 'invalid_token' });
    expect((await pass(requestOf(), gate)).res.getHeader('WWW-Authenticate')).toBe(
      'Bearer realm="pay", scope="payments"',
    );
  });

  it.each<[string, object, string]>([
    [
      'accept too',
      { ...options, accept: [acceptingVerifier(tokenPrincipal())] },
      '"issuer" and "audience" cannot be combined with "accept"',
    ],
    ['a misspelt option of the gate', { ...options, relm: 'pay' }, 'unknown option "relm"'],
    ['a misspelt option of the tokens', { ...options, algoritms: ['ES256'] }, 'unknown option "algoritms"'],
    ['no issuer', { audience: AUDIENCE }, 'option "issuer" must be'],
    ['no audience', { issuer: ISSUER }, 'option "audience" must be'],
    ['a bad option of the gate', { ...options, optional: 'yes' }, 'option "optional" must be a boolean'],
  ])('R14 throws a TypeError for %s', (_name, given, message) => {
    const make = () => requireBearer(given as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});

describe('a key without a scheme, at a gate without allowSchemeless', () => {
  const ask = (authorization: string) =>
    request(
      express()
        .use(requireBearer({ accept: [acceptingVerifier(first)] }))
        .use((_req, res) => void res.json({}))
        .use(bearerErrors()),
    )
      .get('/')
      .set('Authorization', authorization);

  it.each(['sk_abc', 'pk_abc'])('R21 gets 401, with a body that says that the scheme is missing: %s', async (key) => {
    const { status, headers, body } = await ask(key);
    expect({ status, challenge: headers['www-authenticate'] }).toEqual(U0);
    expect(body).toEqual({
      error_description: 'A credential is required; send the key with the Bearer scheme in the Authorization header',
    });
  });

  it.each(['Basic sk_abc', 'abc', 'Token x'])('gets no such message for other texts: %s', async (authorization) => {
    expect((await ask(authorization)).body).toEqual({ error_description: 'A credential is required' });
  });
});
