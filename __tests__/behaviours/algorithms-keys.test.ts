import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import { type AccessTokensOptions, accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
import { type IssuerServer, serveIssuer } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  ISSUER,
  jwkOf,
  jwksOf,
  type Members,
  unsigned,
} from '../support/token-forge.js';
import { weakKeys } from '../support/weak-keys.js';

const NO_KEY =
  'the key set has no key that can verify signatures; add a public RSA key of at least 2048 bits, an EC key or an Ed25519 key';

const key = createKey('ES256', 'good');
const BAD_KID = refusal(T1, 'token_kid');

const verifierOf = (options: Partial<AccessTokensOptions>) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, clock: createManualClock(), ...options });

async function judge(options: Partial<AccessTokensOptions>, token: string) {
  const api = await serveTokenApi([verifierOf(options)]);
  try {
    return await api.judge(token);
  } finally {
    await api.close();
  }
}

describe('weak keys', () => {
  it.each(weakKeys)('A08 %s, the only key: the app does not start', (_name, jwk) => {
    expect(() => verifierOf({ jwks: { keys: [jwk] } })).toThrow(
      new TypeError(`accessTokens: option "jwks" is invalid: ${NO_KEY}`),
    );
  });

  it.each(weakKeys)('A08 %s, next to a valid key: it is left out', async (_name, jwk) => {
    const jwks = { keys: [jwkOf(key), jwk] };
    const token = assemble({ alg: 'RS256', typ: 'at+jwt', kid: jwk.kid }, claimsOf(), unsigned);
    expect(await judge({ jwks }, token)).toEqual(BAD_KID);
    expect(await judge({ jwks }, forge(key))).toEqual(ACCEPTED);
  });
});

describe('options', () => {
  const oct: JWK = { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', alg: 'HS256' };
  const privateJwk = { ...jwkOf(key), d: 'c2VjcmV0' };

  it.each(['HS256', 'HS384', 'HS512', 'none'])('A09 algorithms naming %s', (alg) => {
    expect(() => verifierOf({ jwks: jwksOf(key), algorithms: ['ES256', alg] })).toThrow(
      /^accessTokens: option "algorithms": each value must be 'RS256', .* or 'Ed25519', got an invalid string$/,
    );
  });

  it('A09 an oct key in a static set', () => {
    expect(() => verifierOf({ jwks: { keys: [jwkOf(key), oct] } })).toThrow(
      new TypeError(
        'accessTokens: option "jwks" is invalid: the key set contains a symmetric key; it may contain only public keys',
      ),
    );
  });

  it.each<[string, unknown, string]>([
    ['empty', { keys: [] }, NO_KEY],
    ['without a usable key', { keys: [{ ...jwkOf(key), use: 'enc' }] }, NO_KEY],
    ['{}', {}, 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['null', null, 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['with {} for a key', { keys: [{}] }, NO_KEY],
    ['with null for a key', { keys: [null] }, NO_KEY],
    [
      'with one kid twice',
      { keys: [jwkOf(key), jwkOf(createKey('ES256', 'good'))] },
      'the key set has two keys with the same kid; each key must have its own kid',
    ],
    [
      'with a private key',
      { keys: [privateJwk] },
      'the key set contains a private key; it may contain only public keys',
    ],
  ])('A10 a static set %s', (_name, jwks, fault) => {
    expect(() => verifierOf({ jwks: jwks as AccessTokensOptions['jwks'] })).toThrow(
      new TypeError(`accessTokens: option "jwks" is invalid: ${fault}`),
    );
  });
});

describe('no kid', () => {
  const other = createKey('ES256', 'other');
  const token = (members: Members = {}) => forge(key, {}, { kid: undefined, ...members });

  it('A11 a token without one', async () => {
    expect(await judge({ jwks: jwksOf(key) }, token())).toEqual(BAD_KID);
  });

  it('A11 a token without one, profile jwt, a set of two keys', async () => {
    expect(await judge({ jwks: jwksOf(key, other), profile: 'jwt' }, token())).toEqual(BAD_KID);
  });

  it('A11 profile jwt, a set of one key: that key is used', async () => {
    expect(await judge({ jwks: jwksOf(key), profile: 'jwt' }, token())).toEqual(ACCEPTED);
    expect(await judge({ jwks: jwksOf(other), profile: 'jwt' }, token())).toEqual(refusal(T1, 'token_signature'));
  });
});

describe('use', () => {
  it.each<[string, Members]>([
    ['use enc', { use: 'enc' }],
    ['key_ops ["sign"]', { key_ops: ['sign'] }],
    ['key_ops ["verify", "verify"]', { key_ops: ['verify', 'verify'] }],
  ])('A21 a key with %s', async (_name, members) => {
    const unusable = createKey('ES256', 'unusable');
    const jwks = { keys: [jwkOf(key), jwkOf(unusable, members)] };
    expect(await judge({ jwks }, forge(unusable))).toEqual(BAD_KID);
  });

  it.each<[string, Members]>([
    ['no use', { use: undefined }],
    ['key_ops ["verify"]', { key_ops: ['verify'] }],
  ])('A21 a key with %s is accepted', async (_name, members) => {
    expect(await judge({ jwks: { keys: [jwkOf(key, members)] } }, forge(key))).toEqual(ACCEPTED);
  });
});

describe('retired keys', () => {
  let issuer: IssuerServer;
  beforeEach(async () => {
    issuer = await serveIssuer(jwkOf(key));
  });
  afterEach(() => issuer.close());

  it('A23 a key that is no longer published: its tokens are refused, cached or not', async () => {
    const next = createKey('ES256', 'next');
    const clock = createManualClock();
    const api = await serveTokenApi([verifierOf({ jwks: issuer.jwksUri, clock })]);
    const [cached, fresh] = [forge(key, { jti: 'cached' }), forge(key, { jti: 'fresh' })];
    issuer.publish(jwkOf(key), jwkOf(next));
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.publish(jwkOf(next));
    clock.advance(600_000);
    expect(await api.judge(fresh)).toEqual(BAD_KID);
    expect(await api.judge(cached)).toEqual(BAD_KID);
    expect(await api.judge(forge(next))).toEqual(ACCEPTED);
    await api.close();
  });
});
