import nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AccessTokensOptions, accessTokens, apiMap, requireBearer } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { quotedList } from '../../lib/options/options.js';
import { ALGORITHMS } from '../../lib/tokens/algorithms.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, claimsOf, createKey, forge, headerOf, ISSUER, jwksOf, NOW } from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const clock = createManualClock();
const OTHER_ISSUER = 'https://other.issuer.test';

const verifierOf = (options: object = {}) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, ...options } as AccessTokensOptions);

const judge = (token: string, options: object = {}) => verifierOf(options).verify(new PresentedCredential(token));

async function principalOf(token: string, options: object = {}) {
  const outcome = await judge(token, options);
  if (outcome.outcome !== 'accepted' || outcome.principal.kind !== 'access') throw new Error(JSON.stringify(outcome));
  return outcome.principal;
}

describe('options', () => {
  const optional = [
    ...['allowHttp', 'algorithms', 'profile', 'clockTolerance', 'maxLifetime'],
    ...['apis', 'environment', 'accessKeys', 'authorizationDetails', 'dpop', 'mtls', 'cache'],
  ];
  const names = ['issuer', 'audience', 'jwks', ...optional, 'clock'];
  const named = quotedList([...ALGORITHMS.keys()], 'and');
  const secure =
    'must be an https URL (http only for a loopback host, or with "allowHttp") without a user name, password or fragment';
  const lifetime = 'option "maxLifetime" must be a number from 1 to 9007199254740991';

  it.each<[string, object, string]>([
    ['unknown', { isuer: 'x' }, `unknown option "isuer"; the options are ${names.join(', ')}`],
    ['issuer null', { issuer: null }, 'option "issuer" must be a non-empty string, got null'],
    [
      'issuer no URL, and no jwks',
      { issuer: 'us', jwks: undefined },
      `option "issuer" ${secure}, got an invalid string; to use any other string, also set the option "jwks"`,
    ],
    [
      'issuer with a query, and no jwks',
      { issuer: 'https://issuer.test/?tenant=1', jwks: undefined },
      'option "issuer" must be a URL without a query, got an invalid string; to use any other string, also set the option "jwks"',
    ],
    ['audience null', { audience: null }, 'option "audience": each value must be a non-empty string, got null'],
    [
      'audience with a number',
      { audience: ['x', 1] },
      'option "audience": each value must be a non-empty string, got a number',
    ],
    ['audience {}', { audience: {} }, 'option "audience": each value must be a non-empty string, got an object'],
    ['jwks ""', { jwks: '' }, `option "jwks" ${secure}, got an empty string`],
    ['jwks a path', { jwks: '/jwks' }, `option "jwks" ${secure}, got an invalid string`],
    ['jwks a URL of http', { jwks: new URL('http://issuer.test') }, `option "jwks" ${secure}, got an object`],
    [
      'jwks a number',
      { jwks: 1 },
      'option "jwks" is invalid: the key set is not a JWK Set; expected an object whose "keys" is an array',
    ],
    [
      'jwks a list of keys',
      { jwks: jwksOf(key).keys },
      'option "jwks" is invalid: the key set is not a JWK Set; expected an object whose "keys" is an array',
    ],
    [
      'algorithms a text',
      { algorithms: 'ES256' },
      `option "algorithms" must be a list of one or more of ${named}, got a string`,
    ],
    ['algorithms []', { algorithms: [] }, 'option "algorithms": expected one or more values'],
    ['profile', { profile: 'oidc' }, `option "profile" must be 'rfc9068' or 'jwt', got an invalid string`],
    ['maxLifetime 0', { maxLifetime: 0 }, `${lifetime}, got 0`],
    ['maxLifetime 0.5', { maxLifetime: 0.5 }, `${lifetime}, got 0.5`],
    ['maxLifetime Infinity', { maxLifetime: Number.POSITIVE_INFINITY }, `${lifetime}, got Infinity`],
    ['maxLifetime NaN', { maxLifetime: Number.NaN }, `${lifetime}, got NaN`],
    ['maxLifetime "60"', { maxLifetime: '60' }, `${lifetime}, got a string`],
    ['apis', { apis: { payments: ['gateway'] } }, 'option "apis" must be an object with apisOf(), got an object'],
    ['environment', { environment: 'any' }, `option "environment" must be 'live' or 'sandbox', got an invalid string`],
    [
      'accessKeys a function',
      { accessKeys: () => undefined },
      'option "accessKeys" must be an object with resolveAccessKey(), got a function',
    ],
    [
      'accessKeys {}',
      { accessKeys: {} },
      'option "accessKeys" must be an object with resolveAccessKey(), got an object',
    ],
    [
      'accessKeys.watch',
      { accessKeys: { resolveAccessKey: () => undefined, watch: true } },
      '"watch" of the option "accessKeys" must be a function or undefined, got a boolean',
    ],
    ['cache true', { cache: true }, 'option "cache" must be an options object, got a boolean'],
    [
      'cache.max',
      { cache: { max: 0 } },
      'option "cache": option "max" must be a whole number from 1 to 10000000, got 0',
    ],
    [
      'clock',
      { clock: { now: () => 0 } },
      'option "clock" must be an object with now() and monotonic(), got an object',
    ],
  ])('%s: throws', (_name, options, message) => {
    expect(() => verifierOf(options)).toThrow(new TypeError(`accessTokens: ${message}`));
  });

  it.each([undefined, null, 'https://issuer.test', []])('%j for options: throws', (options) => {
    expect(() => accessTokens(options as unknown as AccessTokensOptions)).toThrow(
      /^accessTokens: expected an options object, got (?:undefined|null|a string|an empty array)$/,
    );
  });

  it('undefined for every optional option: the default', async () => {
    const options = Object.fromEntries(optional.map((name) => [name, undefined]));
    expect(await judge(forge(key), options)).toMatchObject({ outcome: 'accepted' });
  });

  it('no clock: the clock of the machine', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const token = forge(key, { iat: now, exp: now + 60 });
    expect(await judge(token, { clock: undefined })).toMatchObject({ outcome: 'accepted' });
  });

  it('an error of the object for jwks is passed on', () => {
    const fault = new Error('not now');
    const jwks = {
      get keys() {
        throw fault;
      },
    };
    expect(() => verifierOf({ jwks })).toThrow(fault);
  });

  it('an issuer that is not a URL if jwks is given', async () => {
    const token = forge(key, { iss: 'us?' });
    expect(await judge(token, { issuer: 'us?' })).toMatchObject({ outcome: 'accepted' });
  });

  it('a URL object for jwks', () => {
    expect(verifierOf({ jwks: new URL('https://issuer.test/keys') }).kinds).toEqual(['access']);
  });
});

describe('claimed tokens', () => {
  it.each([
    ['no token', 'sk_something', { outcome: 'declined' }],
    ['three parts of nothing', 'a.b.c', { outcome: 'declined', reason: 'jws_malformed' }],
    ['a token of another issuer', forge(key, { iss: OTHER_ISSUER }), { outcome: 'declined', reason: 'token_iss' }],
    ['an expired token', forge(key, { exp: NOW }), { outcome: 'refused', reason: 'expired' }],
    ['a token for others', forge(key, { aud: 'x' }), { outcome: 'refused', reason: 'token_aud' }],
    [
      'a token with another signature',
      forge({ ...createKey('ES256'), kid: 'ours' }),
      { outcome: 'refused', reason: 'token_signature' },
    ],
    ['a valid token', forge(key), expect.objectContaining({ outcome: 'accepted' })],
  ])('answers synchronously: %s', (_name, credential, outcome) => {
    expect(judge(credential)).toEqual(outcome);
  });

  it('names its claims and kinds', () => {
    expect(verifierOf()).toMatchObject({
      kinds: ['access'],
      claims: [{ of: ISSUER, what: `access tokens issued by ${ISSUER}` }],
      tokens: { issuer: ISSUER, audiences: [AUDIENCE], clock, clockTolerance: 5 },
    });
    expect([Object.isFrozen(verifierOf()), Object.isFrozen(verifierOf().kinds)]).toEqual([true, true]);
  });
});

describe('the principal', () => {
  it('has the values of the token', async () => {
    expect(await principalOf(forge(key, { scope: 'payments:refund disputes payments' }))).toEqual({
      ...{ kind: 'access', keyId: 'ack_forged', clientId: 'ack_forged', account: undefined, environment: undefined },
      ...{ apis: ['payments', 'disputes'], scopes: ['payments:refund', 'disputes', 'payments'] },
      ...{ channels: 'all', platform: undefined, expiresAt: NOW + 3_600 },
      payload: { ...claimsOf(), scope: 'payments:refund disputes payments' },
      header: headerOf(key),
    });
  });

  it('has the environment of the verifier, and the APIs of its map', async () => {
    const options = { environment: 'sandbox', apis: apiMap({ payments: ['gateway'], disputes: ['cases'] }) };
    const principal = await principalOf(forge(key, { scope: 'gateway unheard-of' }), options);
    expect(principal).toMatchObject({ environment: 'sandbox', apis: ['payments'], scopes: ['gateway', 'unheard-of'] });
  });

  it('is frozen at every depth', async () => {
    const principal = await principalOf(forge(key, { act: { list: [{ deep: {} }] } }, { extra: { deep: [] } }));
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(principal)).toBe(true);
  });

  it('contains no credential', async () => {
    const token = forge(key);
    const text = JSON.stringify(await principalOf(token));
    for (const part of token.split('.')) expect(text).not.toContain(part);
  });
});

describe('foreign issuers', () => {
  it.each<[string, object, string, string[]]>([
    ['Auth0', { sub: 'abc@clients', azp: 'abc', scope: 'payments:read' }, 'abc', ['payments:read']],
    ['Entra', { sub: 'subject', azp: 'app', scp: 'payments disputes' }, 'app', ['payments', 'disputes']],
    ['Okta', { sub: 'client', cid: 'client', scp: ['payments'] }, 'client', ['payments']],
    ['Duende', { client_id: 'client', scope: ['payments', 'disputes'] }, 'client', ['payments', 'disputes']],
  ])('%s', async (_name, claims, clientId, scopes) => {
    const bare = { sub: undefined, client_id: undefined, jti: undefined, iat: undefined, scope: undefined };
    const token = forge(key, { ...bare, ...claims }, { typ: 'JWT' });
    expect(await principalOf(token, { profile: 'jwt' })).toMatchObject({ clientId, keyId: clientId, scopes });
    expect(await judge(token)).toMatchObject({ outcome: 'refused', reason: 'token_typ' });
  });
});

describe('several issuers in one accept', () => {
  const others = createKey('ES256', 'ours');
  const [first, second] = [
    verifierOf(),
    verifierOf({ issuer: OTHER_ISSUER, jwks: jwksOf(others), environment: 'live' }),
  ];
  const asked = [jest.fn(first.verify), jest.fn(second.verify)] as const;
  const accept = [
    { ...first, verify: asked[0] },
    { ...second, verify: asked[1] },
  ];
  const ours = forge(key);
  const theirs = forge(others, { iss: OTHER_ISSUER });

  let api: TokenApi;
  beforeEach(async () => {
    jest.clearAllMocks();
    api = await serveTokenApi(accept);
  });
  afterEach(() => api.close());

  it('are distinguished', async () => {
    expect(JSON.parse((await api.present(ours)).body)).toMatchObject({ payload: { iss: ISSUER } });
    const { body } = await api.present(theirs);
    expect(JSON.parse(body)).toMatchObject({ payload: { iss: OTHER_ISSUER }, environment: 'live' });
  });

  it.each([
    ['our token signed by their key', forge(others)],
    ['their token signed by our key', forge(key, { iss: OTHER_ISSUER })],
  ])('do not decide for each other: %s', async (_name, token) => {
    expect(await api.judge(token)).toMatchObject({ status: 401, reason: 'token_signature', handled: false });
  });

  it('answer a cached token from their caches: nothing is verified, and only the claims of other issuers are parsed', async () => {
    expect([await api.judge(ours), await api.judge(theirs)]).toEqual([ACCEPTED, ACCEPTED]);
    jest.clearAllMocks();
    const parse = jest.spyOn(JSON, 'parse');
    const check = jest.spyOn(nodeCrypto, 'verify');
    expect([await api.judge(theirs), await api.judge(ours)]).toEqual([ACCEPTED, ACCEPTED]);
    const calls = [...asked, parse, check].map(({ mock }) => mock.calls.length);
    jest.restoreAllMocks();
    // Their token is asked of both, and ours of the first.
    expect(calls).toEqual([2, 1, 1, 0]);
  });

  it('must be different issuers', () => {
    expect(() => requireBearer({ accept: [first, verifierOf({ audience: 'https://another.test' })] })).toThrow(
      new TypeError(
        `requireBearer: two verifiers in "accept" are for the same credentials: access tokens issued by ${ISSUER}; remove one of them`,
      ),
    );
  });
});
