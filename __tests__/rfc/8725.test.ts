import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AccessTokensOptions, accessTokens, apiKeys, type CredentialVerifier } from 'keyward';
import { createTestClock } from '../../lib/testing/test-clock.js';
import { T1 } from '../support/answers.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwkOf,
  jwksOf,
  NOW,
  signedBy,
  unsigned,
} from '../support/token-forge.js';

const rsa = createKey('RS256');
const ec = createKey('ES256');
const weak = createKey('RS256', 'weak', 1_024);
const clock = createTestClock(NOW * 1_000);

const verifier = (options: Partial<AccessTokensOptions> = {}) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(rsa, ec), clock, ...options });

const apis: TokenApi[] = [];
const apiOf = async (...accept: readonly CredentialVerifier[]) => {
  const api = await serveTokenApi(accept);
  apis.push(api);
  return api;
};
afterEach(() => Promise.all(apis.splice(0).map((api) => api.close())));

describe('RFC 8725 section 3.1, the algorithm', () => {
  it('3.1 the caller says which algorithms are accepted, and no other is', async () => {
    const api = await apiOf(verifier({ algorithms: ['ES256'] }));
    expect(await api.judge(forge(ec))).toEqual(ACCEPTED);
    expect(await api.judge(forge(rsa))).toEqual(refusal(T1, 'token_alg'));
  });

  it('3.1 the algorithm of the header is the one that is used', async () => {
    const api = await apiOf(verifier({ jwks: { keys: [jwkOf(rsa, { alg: undefined })] } }));
    const mislabelled = assemble({ ...headerOf(rsa), alg: 'PS256' }, claimsOf(), signedBy(rsa, 'RS256'));
    expect(await api.judge(mislabelled)).toEqual(refusal(T1, 'token_signature'));
  });

  it.each(['RS384', 'RS512', 'PS256'])(
    '3.1 a key is used with one algorithm: its own is RS256, not %s',
    async (alg) => {
      const api = await apiOf(verifier());
      const other = assemble({ ...headerOf(rsa), alg }, claimsOf(), signedBy(rsa, alg));
      expect(await api.judge(other)).toEqual(refusal(T1, 'token_signature'));
    },
  );

  it.each(['RS384', 'RS512', 'PS256'])(
    '3.1 a key is used with one algorithm: one that names none is not used with %s after RS256',
    async (alg) => {
      const api = await apiOf(verifier({ jwks: { keys: [jwkOf(rsa, { alg: undefined })] } }));
      const other = assemble({ ...headerOf(rsa), alg }, claimsOf(), signedBy(rsa, alg));
      expect(await api.judge(forge(rsa))).toEqual(ACCEPTED);
      expect(await api.judge(other)).toEqual(refusal(T1, 'token_signature'));
      expect(await api.judge(forge(rsa, { jti: 'token-2' }))).toEqual(ACCEPTED);
    },
  );

  it.each(['ES384', 'ES512', 'RS256'])(
    '3.1 a key is used with the algorithm of its curve: P-256 not with %s',
    async (alg) => {
      const api = await apiOf(verifier({ jwks: { keys: [jwkOf(ec, { alg: undefined })] } }));
      const other = assemble({ ...headerOf(ec), alg }, claimsOf(), signedBy(ec, 'ES256'));
      expect(await api.judge(other)).toEqual(refusal(T1, 'token_signature'));
    },
  );
});

describe('RFC 8725 sections 3.2 to 3.7, the cryptography', () => {
  it.each(['none', 'HS256', 'HS384', 'HS512', 'RS1', 'ES256K'])(
    '3.2 only current algorithms are allowed: %s cannot be configured',
    (alg) => {
      expect(() => verifier({ algorithms: [alg] })).toThrow(/"algorithms"/);
    },
  );

  it.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])(
    '3.2 cryptographic agility: %s can be chosen, and alone',
    async (alg) => {
      const key = /^[RP]S/.test(alg) ? { ...rsa, alg } : createKey(alg);
      const api = await apiOf(verifier({ jwks: jwksOf(key), algorithms: [alg] }));
      expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    },
  );

  it('3.2 "none" is not consumed', async () => {
    const api = await apiOf(verifier());
    expect(await api.judge(assemble({ ...headerOf(ec), alg: 'none' }, claimsOf(), unsigned))).toEqual(
      refusal(T1, 'token_alg'),
    );
  });

  it('3.3 the whole token is rejected when the signature does not hold', async () => {
    const api = await apiOf(verifier());
    expect(await api.judge(assemble(headerOf(ec), claimsOf(), unsigned))).toEqual(refusal(T1, 'token_signature'));
  });

  it('3.3 a nested token, whose inner operations nobody would validate, is rejected', async () => {
    const api = await apiOf(verifier());
    expect(await api.judge(forge(ec, {}, { cty: 'JWT' }))).toEqual(refusal(T1, 'token_cty'));
  });

  it.each(['ES256', 'ES384', 'ES512'])('3.4 a point that is not on the curve of %s is no key', (alg) => {
    const jwk = jwkOf(createKey(alg));
    expect(() => verifier({ jwks: { keys: [{ ...jwk, y: jwk.x ?? '' }] } })).toThrow(
      /no key that can verify signatures/,
    );
  });

  it('3.5 no keyed MAC, so no password for a key: a symmetric key is refused', () => {
    const secret = { kty: 'oct', kid: 'secret', k: 'cGFzc3dvcmQ' };
    expect(() => verifier({ jwks: { keys: [jwkOf(ec), secret] } })).toThrow(/symmetric key/);
  });

  it('3.5 keys have enough entropy: RSA under 2,048 bits is no key', () => {
    expect(() => verifier({ jwks: jwksOf(weak) })).toThrow(/no key that can verify signatures/);
  });

  it('3.6 nothing compressed is accepted', async () => {
    const api = await apiOf(verifier());
    expect(await api.judge(forge(ec, {}, { zip: 'DEF' }))).toEqual(refusal(T1, 'token_header_member'));
  });

  it.each([
    ['UTF-16', (value: object) => Buffer.from(JSON.stringify(value), 'utf16le')],
    ['UTF-16 with a byte-order mark', (value: object) => Buffer.from(`\uFEFF${JSON.stringify(value)}`, 'utf16le')],
    ['UTF-8 with a byte-order mark', (value: object) => Buffer.from(`\uFEFF${JSON.stringify(value)}`)],
    ['Latin-1', (value: object) => Buffer.from(JSON.stringify({ ...value, name: 'é' }), 'latin1')],
  ])('3.7 JSON is UTF-8 and nothing else: %s', async (_name, encode) => {
    const api = await apiOf(verifier());
    const inHeader = assemble(encode(headerOf(ec)), claimsOf(), signedBy(ec));
    const inClaims = assemble(headerOf(ec), encode(claimsOf()), signedBy(ec));
    expect(await api.judge(inHeader)).toEqual(refusal(T1, 'jws_malformed'));
    expect(await api.judge(inClaims)).toEqual(refusal(T1, 'jws_malformed'));
  });

  it('3.7 JSON is UTF-8: what is not ASCII is read right', async () => {
    const api = await apiOf(verifier());
    const principal = JSON.parse((await api.present(forge(ec, { name: 'Zoë 🗝' }))).body);
    expect(principal.payload.name).toBe('Zoë 🗝');
  });
});

describe('RFC 8725 sections 3.8 to 3.12, the claims', () => {
  const OTHER = 'https://other.test';
  const theirs = createKey('ES256', ec.kid);

  it('3.8 the key belongs to the issuer: one of another trusted issuer does not do', async () => {
    const api = await apiOf(verifier(), verifier({ issuer: OTHER, jwks: jwksOf(theirs) }));
    expect(await api.judge(forge(theirs, { iss: OTHER }))).toEqual(ACCEPTED);
    expect(await api.judge(forge(theirs))).toEqual(refusal(T1, 'token_signature'));
    expect(await api.judge(forge(ec, { iss: OTHER }))).toEqual(refusal(T1, 'token_signature'));
  });

  it('3.8 the subject is valid at the application: an access key that nobody knows is rejected', async () => {
    const api = await apiOf(verifier({ accessKeys: { resolveAccessKey: () => undefined } }));
    expect(await api.judge(forge(ec))).toEqual(refusal(T1, 'unknown'));
  });

  it('3.8 the subject is valid at the application: of our own issuer it is the client', async () => {
    const api = await apiOf(verifier({ accessKeys: { resolveAccessKey: () => undefined } }));
    expect(await api.judge(forge(ec, { sub: 'somebody' }))).toEqual(refusal(T1, 'token_client_id'));
  });

  it.each([[undefined], [OTHER], [[OTHER]]])('3.9 an audience that is not this one is rejected: %j', async (aud) => {
    const api = await apiOf(verifier());
    expect(await api.judge(forge(ec, { aud }))).toEqual(refusal(T1, 'token_aud'));
  });

  it.each(["' OR 1=1--", '../../dev/null', '*)(uid=*', '__proto__', 'constructor', '\u0000'])(
    '3.10 kid is compared and nothing else: %j',
    async (kid) => {
      const api = await apiOf(verifier());
      expect(await api.judge(forge({ ...ec, kid }))).toEqual(refusal(T1, 'token_kid'));
    },
  );

  describe('a listener that the token points to', () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    beforeAll(() => new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve)));
    afterAll(() => new Promise((resolve) => listener.close(resolve)));

    it.each(['jku', 'x5u'])('3.10 %s is not followed', async (member) => {
      const address = listener.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const api = await apiOf(verifier());
      const token = forge(ec, {}, { [member]: `http://127.0.0.1:${port}/jwks` });
      expect(await api.judge(token)).toEqual(refusal(T1, 'token_header_member'));
      expect(connections).toBe(0);
    });
  });

  it('3.11 the type is explicit: a token without one is rejected', async () => {
    const api = await apiOf(verifier());
    expect(await api.judge(forge(ec, {}, { typ: undefined }))).toEqual(refusal(T1, 'token_typ'));
  });

  it.each(['JWT', 'logout+jwt', 'secevent+jwt', 'dpop+jwt', 'token-introspection+jwt'])(
    '3.12 a JWT of another kind, by the same issuer with the same key, is rejected: %s',
    async (typ) => {
      const api = await apiOf(verifier());
      expect(await api.judge(forge(ec, {}, { typ }))).toEqual(refusal(T1, 'token_typ'));
    },
  );

  it('3.12 a token that fails is not tried as another kind of credential', async () => {
    let looked = 0;
    const resolver = () => {
      looked += 1;
      return undefined;
    };
    const keys = apiKeys({ resolver, kinds: ['secret'], environment: 'live' });
    const api = await apiOf(verifier(), keys);
    expect(await api.judge(forge(ec, { exp: NOW }))).toEqual(refusal(T1, 'expired'));
    expect(looked).toBe(0);
  });
});
