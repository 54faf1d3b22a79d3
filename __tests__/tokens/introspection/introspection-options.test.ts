import { describe, expect, it, jest } from '@jest/globals';
import { apiMap, type IntrospectedTokensOptions } from 'keyward';
import { scopePrefixes } from '../../../lib/credentials/api-map.js';
import { SECURE_PLAIN_URL, SECURE_URL } from '../../../lib/http/secure-url.js';
import { readIntrospectedTokensOptions } from '../../../lib/tokens/introspection/introspection-options.js';
import { ORIGIN } from '../../support/dpop-client.js';
import { json, serveIssuer } from '../../support/issuer-server.js';
import { createManualClock } from '../../support/manual-clock.js';
import { AUDIENCE, createKey, ISSUER } from '../../support/token-forge.js';

const clock = createManualClock();
const { privateKey } = createKey('ES256');
const CLIENT = { id: 'api', secret: 'secret' };

const read = (options: object = {}) =>
  readIntrospectedTokensOptions({
    ...{ issuer: ISSUER, audience: AUDIENCE, client: CLIENT, clock },
    ...options,
  } as IntrospectedTokensOptions);

const locate = (options: object) => read(options).call.locate(AbortSignal.timeout(5_000));

describe('the defaults', () => {
  it('of the rules', () => {
    expect(read().rules).toEqual({
      ...{ issuer: ISSUER, audiences: [AUDIENCE], profile: 'jwt', isIntrospected: true, clockTolerance: 5 },
      ...{ maxLifetime: Number.POSITIVE_INFINITY, ownIssuer: false, ignoresAuthorizationDetails: false },
      confirmation: undefined,
    });
    expect(Object.isFrozen(read().rules)).toBe(true);
  });

  it('of calls and their cache', () => {
    const { call, cache } = read();
    expect(call).toMatchObject({ timeout: 1_000, clock });
    expect(cache).toMatchObject({ timeout: 1_000, maxLookups: 100, clock });
    expect(cache.bounds).toMatchObject({ ttl: 5_000, staleIfError: 0 });
  });

  it('of principals', () => {
    expect(read().principalContext).toMatchObject({ apis: scopePrefixes, environment: undefined });
    expect(read().principalContext.shared).not.toBe(read().principalContext.shared);
  });

  it('use the clock of the machine', () => {
    expect(Math.abs(read({ clock: undefined }).clock.now() - Date.now())).toBeLessThan(60_000);
  });
});

describe('the options', () => {
  it('are used', () => {
    const apis = apiMap({ payments: ['gateway'] });
    const options = { apis, environment: 'sandbox', timeout: 60_000, maxLookups: 100_000, clockTolerance: 300 };
    const { rules, call, principalContext, cache } = read({ ...options, authorizationDetails: 'ignore' });
    expect(rules).toMatchObject({ clockTolerance: 300, ignoresAuthorizationDetails: true });
    expect([call.timeout, cache.timeout, cache.maxLookups]).toEqual([60_000, 60_000, 100_000]);
    expect(principalContext).toMatchObject({ apis, environment: 'sandbox' });
    expect(read({ audience: false }).rules.audiences).toBeUndefined();
    expect(read({ authorizationDetails: 'refuse' }).rules.ignoresAuthorizationDetails).toBe(false);
    expect(read({ cache: false }).cache.bounds).toBeUndefined();
    expect(read({ cache: { ttl: 1 } }).cache.bounds).toMatchObject({ ttl: 1 });
  });

  it.each([
    ['dpop', { dpop: { origin: ORIGIN } }],
    ['mtls', { mtls: {} }],
  ])('%s: bound tokens are accepted', (name, options) => {
    const { rules, confirmation } = read(options);
    expect(rules.confirmation).toBe(confirmation);
    expect(confirmation?.methods).toHaveProperty(name);
  });

  it.each<[string, object, string]>([
    ['clockTolerance', { clockTolerance: 301 }, 'option "clockTolerance" must be a number from 0 to 300, got 301'],
    ['clockTolerance', { clockTolerance: -1 }, 'option "clockTolerance" must be a number from 0 to 300, got -1'],
    ['timeout', { timeout: 60_001 }, 'option "timeout" must be a whole number from 1 to 60000, got 60001'],
    ['maxLookups', { maxLookups: 0 }, 'option "maxLookups" must be a whole number from 1 to 100000, got 0'],
    ['maxLookups', { maxLookups: 100_001 }, 'option "maxLookups" must be a whole number from 1 to 100000, got 100001'],
    ['apis', { apis: {} }, 'option "apis" must be an object with apisOf(), got an object'],
    ['environment', { environment: 'any' }, `option "environment" must be 'live' or 'sandbox', got an invalid string`],
    [
      'authorizationDetails',
      { authorizationDetails: 'x' },
      `option "authorizationDetails" must be 'refuse' or 'ignore', got an invalid string`,
    ],
    ['allowHttp', { allowHttp: 1 }, 'option "allowHttp" must be a boolean, got a number'],
    ['clock', { clock: {} }, 'option "clock" must be an object with now() and monotonic(), got an object'],
    ['dpop', { dpop: true }, 'option "dpop" must be an options object, got a boolean'],
    ['mtls', { mtls: true }, 'option "mtls" must be an options object, got a boolean'],
    ['cache', { cache: true }, 'option "cache" must be an options object, got a boolean'],
    ['audience', { audience: undefined }, 'option "audience" must be a string or a list of strings, got undefined'],
    [
      'another name',
      { jwks: {} },
      'unknown option "jwks"; the options are issuer, endpoint, audience, client, allowHttp, clockTolerance, apis, environment, authorizationDetails, timeout, maxLookups, dpop, mtls, cache, clock',
    ],
  ])('%s is refused: %j', (_name, options, message) => {
    expect(() => read(options)).toThrow(new TypeError(`introspectedTokens: ${message}`));
  });
});

describe('the client', () => {
  it('has a secret', () => {
    expect(read().call.client).toEqual({ clientId: 'api', authentication: { secret: 'secret' } });
  });

  it('or a private key, for assertions to the issuer', () => {
    expect(read({ client: { id: 'api', privateKey, keyId: 'k' } }).call.client).toEqual({
      clientId: 'api',
      authentication: { signingKey: { key: privateKey, alg: 'ES256', kid: 'k' }, audience: ISSUER },
    });
  });

  const one = 'option "client" must have exactly one of "secret" and "privateKey"';
  it.each<[string, object | undefined, string]>([
    ['nothing', undefined, 'option "client" must be an options object, got undefined'],
    ['no id', { secret: 'x' }, 'option "client": option "id" must be a non-empty string, got undefined'],
    ['an empty secret', { id: 'x', secret: '' }, 'option "client": option "secret" must be a non-empty string'],
    ['an empty keyId', { id: 'x', privateKey, keyId: '' }, 'option "client": option "keyId" must be a non-empty'],
    ['neither', { id: 'x' }, one],
    ['both', { id: 'x', secret: 'x', privateKey }, one],
    [
      'a public key',
      { id: 'x', privateKey: createKey('ES256').publicKey },
      'option "client.privateKey" must be a private key for signing, as a JWK, a KeyObject or PEM',
    ],
    [
      'another name',
      { ...CLIENT, key: 1 },
      'option "client": unknown option "key"; the options are id, secret, privateKey, keyId',
    ],
  ])('is refused: %s', (_name, client, message) => {
    expect(() => read({ client })).toThrow(TypeError);
    expect(() => read({ client })).toThrow(`introspectedTokens: ${message}`);
  });
});

describe('the endpoint', () => {
  const url = 'https://login.test/introspect';

  it.each([
    ['a string', url, {}],
    ['a URL', new URL(url), {}],
    ['a string, with any issuer', url, { issuer: 'issuer?' }],
  ])('is %s', async (_name, endpoint, options) => {
    expect(String(await locate({ endpoint, ...options }))).toBe(url);
  });

  it('is in the metadata of the issuer, if the option is not given', async () => {
    const server = await serveIssuer();
    const introspection = `${server.origin}/introspect`;
    server.answer(json({ issuer: server.origin, introspection_endpoint: introspection }));
    expect(String(await locate({ issuer: server.origin }))).toBe(introspection);
    expect(server.asked).toEqual(['/.well-known/oauth-authorization-server']);
    server.answer(json({ issuer: `${server.origin}/`, introspection_endpoint: introspection }));
    await expect(locate({ issuer: server.origin })).rejects.toThrow(
      'the "issuer" in the metadata is not the configured issuer',
    );
    await server.close();
  });

  it('is located with a time limit of 2.5 seconds for the first document of the metadata', async () => {
    const server = await serveIssuer();
    server.answer(json({ issuer: server.origin, introspection_endpoint: url }));
    const timeouts = jest.spyOn(AbortSignal, 'timeout');
    await read({ issuer: server.origin }).call.locate(new AbortController().signal);
    expect(timeouts.mock.calls).toEqual([[2_500]]);
    timeouts.mockRestore();
    await server.close();
  });

  const anyIssuer = 'to use any other string, also set the option "endpoint"';
  const withoutQuery = `${SECURE_URL} without a user name, password, query or fragment`;
  it.each<[string, object, string]>([
    ['http', { endpoint: 'http://login.test' }, `option "endpoint" must be ${SECURE_PLAIN_URL}, got an invalid string`],
    [
      'http of the issuer',
      { issuer: 'http://login.test' },
      `option "issuer" must be ${withoutQuery}, got an invalid string; ${anyIssuer}`,
    ],
    [
      'a query of the issuer',
      { issuer: 'https://login.test?' },
      `option "issuer" must be ${withoutQuery}, got an invalid string; ${anyIssuer}`,
    ],
    [
      'no URL of the issuer',
      { issuer: 'login' },
      `option "issuer" must be ${withoutQuery}, got an invalid string; ${anyIssuer}`,
    ],
  ])('is refused: %s', (_name, options, message) => {
    expect(() => read(options)).toThrow(new TypeError(`introspectedTokens: ${message}`));
  });

  it('may have http with "allowHttp"', async () => {
    expect(String(await locate({ endpoint: 'http://login.test/', allowHttp: true }))).toBe('http://login.test/');
    expect(() => read({ issuer: 'http://login.test', allowHttp: true })).not.toThrow();
    expect(() => read({ issuer: 'http://login.test', allowHttp: false })).toThrow(TypeError);
  });
});
