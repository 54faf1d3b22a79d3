/** K17 to K19 and K24: what may choose a key, and what may cause a fetch. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AccessTokensOptions, accessTokens } from 'keyward';
import { A5, T1 } from '../support/answers.js';
import { type IssuerServer, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwkOf,
  type Members,
  NOW,
} from '../support/token-forge.js';

const key = createKey('ES256', 'ours');

let issuer: IssuerServer;
let attacker: IssuerServer;
let api: TokenApi;

const verifierOf = (options: Partial<AccessTokensOptions>) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, clock: createManualClock(), ...options });

beforeEach(async () => {
  [issuer, attacker] = [await serveIssuer(jwkOf(key)), await serveIssuer(jwkOf(key))];
  api = await serveTokenApi([verifierOf({ jwks: issuer.jwksUri })]);
});
afterEach(() => Promise.all([issuer.close(), attacker.close(), api.close()]));

describe('while the keys cannot be fetched', () => {
  const claiming = (alg: string, secret: string) =>
    assemble({ ...headerOf(key), alg }, claimsOf(), (input) => createHmac('sha256', secret).update(input).digest());

  it('K17 no built-in key, no alg none and no HS is accepted', async () => {
    issuer.answer(status(500));
    expect(await api.judge(claiming('none', 'x'))).toEqual(refusal(T1, 'token_alg'));
    for (const secret of ['', 'secret', JSON.stringify(jwkOf(key))]) {
      expect(await api.judge(claiming('HS256', secret))).toEqual(refusal(T1, 'token_alg'));
    }
    expect(await api.judge(forge(createKey('ES256', 'any')))).toEqual(refusal(A5, 'keys_unavailable'));
  });
});

describe('URLs in a token', () => {
  it.each<[string, (url: string) => string]>([
    ['iss', (url) => forge(key, { iss: url })],
    ['aud', (url) => forge(key, { aud: url })],
    ['kid', (url) => forge(key, {}, { kid: url })],
    ['jku', (url) => forge(key, {}, { jku: url })],
  ])('K18 a URL in %s is never fetched', async (_name, tokenWith) => {
    expect(await api.judge(tokenWith(attacker.jwksUri))).toMatchObject({ ...T1, handled: false });
    expect(attacker.asked).toEqual([]);
  });
});

describe('URLs in the options', () => {
  const bad: [string, string][] = [
    ['http to another machine', 'http://issuer.test/keys'],
    ['userinfo', 'https://user:secret@issuer.test/keys'],
    ['a fragment', 'https://issuer.test/keys#one'],
  ];
  const expected =
    'an https URL (http only for a loopback host, or with "allowHttp") without a user name, password or fragment';

  it.each(bad)('K19 jwks with %s', (_name, url) => {
    expect(() => verifierOf({ jwks: url })).toThrow(
      new TypeError(`accessTokens: option "jwks" must be ${expected}, got an invalid string`),
    );
  });

  it.each(bad)('K19 issuer with %s', (_name, url) => {
    expect(() => verifierOf({ issuer: url })).toThrow(
      new TypeError(
        `accessTokens: option "issuer" must be ${expected}, got an invalid string; to use any other string, also set the option "jwks"`,
      ),
    );
  });
});

describe('a token that is refused for its content', () => {
  it.each<[string, Members, Members, string]>([
    ['exp', { exp: NOW }, {}, 'expired'],
    ['iss', { iss: 'https://other.test' }, {}, 'token_iss'],
    ['aud', { aud: 'https://other.test' }, {}, 'token_aud'],
    ['typ', {}, { typ: 'JWT' }, 'token_typ'],
  ])('K24 %s, with an unknown kid: nothing is fetched', async (_name, claims, header, reason) => {
    expect(await api.judge(forge(key, claims, { kid: 'unknown', ...header }))).toEqual(refusal(T1, reason));
    expect(issuer.asked).toEqual([]);
  });
});
