import { describe, expect, it, jest } from '@jest/globals';
import { SECURE_URL } from '../../../lib/http/secure-url.js';
import { Options } from '../../../lib/options/options.js';
import { RemoteKeySet } from '../../../lib/tokens/jwks/key-set.js';
import { keySetOf } from '../../../lib/tokens/jwks/key-set-option.js';
import { json, serveIssuer } from '../../support/issuer-server.js';
import { createManualClock } from '../../support/manual-clock.js';
import { createKey, ISSUER, jwkOf, jwksOf, type Members } from '../../support/token-forge.js';
import { weakKeys } from '../../support/weak-keys.js';

const NO_KEY =
  'the key set has no key that can verify signatures; add a public RSA key of at least 2048 bits, an EC key or an Ed25519 key';

const [one, two] = [createKey('ES256', 'one'), createKey('ES256', 'two')];
const SECURE = `${SECURE_URL} without a user name, password or fragment`;

const keysOf = (members: Members, issuer: string = ISSUER) =>
  keySetOf(
    new Options('accessTokens', { issuer, ...members }, ['issuer', 'jwks', 'allowHttp']),
    issuer,
    createManualClock(),
  );

const mistake = (option: string, expected: string) =>
  new TypeError(`accessTokens: option "${option}" must be ${expected}, got an invalid string`);
const wrongIssuer = (expected: string) =>
  new TypeError(`${mistake('issuer', expected).message}; to use any other string, also set the option "jwks"`);

describe('"jwks" with keys', () => {
  it('makes a set of these keys', async () => {
    const set = keysOf({ jwks: jwksOf(one, two) });
    expect([(await set.find('two'))?.kid, await set.find('three')]).toEqual(['two', undefined]);
    expect(set.isFresh({ wall: 0, monotonic: 0 })).toBe(true);
  });

  it('allows any issuer', async () => {
    for (const issuer of ['http://issuer.test', 'https://issuer.test/?tenant=1', 'issuer']) {
      expect((await keysOf({ jwks: jwksOf(one) }, issuer).find('one'))?.kid).toBe('one');
    }
  });

  it.each([
    ['nothing', null, 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['a list', [jwkOf(one)], 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['no key', { keys: [] }, NO_KEY],
    ['a weak key', { keys: [weakKeys[0]?.[1]] }, NO_KEY],
    [
      'a symmetric key',
      { keys: [jwkOf(one), { kty: 'oct', k: 'c2VjcmV0' }] },
      'the key set contains a symmetric key; it may contain only public keys',
    ],
    [
      'a private key',
      { keys: [{ ...jwkOf(one), d: 'c2VjcmV0' }] },
      'the key set contains a private key; it may contain only public keys',
    ],
  ])('is refused: %s', (_name, jwks, reason) => {
    const refused = () => keysOf({ jwks });
    expect(refused).toThrow(new TypeError(`accessTokens: option "jwks" is invalid: ${reason}`));
    expect(refused).toThrow(TypeError);
  });

  it('throws the errors of its own getters as they are', () => {
    const fault = new RangeError('not loaded');
    const jwks = {
      get keys() {
        throw fault;
      },
    };
    expect(() => keysOf({ jwks })).toThrow(fault);
  });
});

describe('"jwks" with a URL', () => {
  it.each([
    ['a string', (url: string) => url],
    ['a URL', (url: string) => new URL(url)],
  ])('fetches the keys when they are first needed: %s', async (_name, given) => {
    const server = await serveIssuer(jwkOf(one));
    const set = keysOf({ jwks: given(server.jwksUri) });
    expect([set instanceof RemoteKeySet, server.asked]).toEqual([true, []]);
    expect([(await set.find('one'))?.kid, server.asked]).toEqual(['one', ['/jwks']]);
    await server.close();
  });

  it.each(['http://issuer.test/jwks', 'https://user@issuer.test/jwks', 'https://issuer.test/jwks#', 'jwks', ''])(
    'must be a secure one, also if the issuer is: not %p',
    (jwks) => {
      const got = jwks === '' ? 'an empty string' : 'an invalid string';
      expect(() => keysOf({ jwks })).toThrow(
        new TypeError(mistake('jwks', SECURE).message.replace(/an invalid string$/, got)),
      );
    },
  );

  it('may be one with http only with "allowHttp"', () => {
    const jwks = 'http://issuer.test/jwks';
    expect(() => keysOf({ jwks, allowHttp: false })).toThrow(mistake('jwks', SECURE));
    expect(keysOf({ jwks, allowHttp: true })).toBeInstanceOf(RemoteKeySet);
  });
});

describe('without "jwks"', () => {
  it('the URL of the keys is in the metadata of the issuer, which is fetched when it is first needed', async () => {
    const server = await serveIssuer();
    const timeouts = jest.spyOn(AbortSignal, 'timeout');
    server.answer((req, res) => {
      const isMetadata = req.url?.startsWith('/.well-known/');
      json(isMetadata ? { issuer: server.origin, jwks_uri: `${server.origin}/keys` } : jwksOf(one))(req, res);
    });
    const set = keysOf({}, server.origin);
    expect(server.asked).toEqual([]);
    expect((await set.find('one'))?.kid).toBe('one');
    expect(server.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
    expect(timeouts.mock.calls).toEqual([[2_000], [1_000]]);
    timeouts.mockRestore();
    await server.close();
  });

  it.each(['http://issuer.test', 'https://user@issuer.test', 'https://issuer.test/#', 'issuer'])(
    'the issuer must be a secure URL: not %p',
    (issuer) => {
      expect(() => keysOf({}, issuer)).toThrow(wrongIssuer(SECURE));
    },
  );

  it('the issuer must have no query', () => {
    const expected = 'a URL without a query';
    for (const issuer of ['https://issuer.test/?tenant=1', 'https://issuer.test/?']) {
      expect(() => keysOf({}, issuer)).toThrow(wrongIssuer(expected));
    }
  });

  it('the issuer may have http only with "allowHttp"', () => {
    const issuer = 'http://issuer.test';
    expect(() => keysOf({ allowHttp: false }, issuer)).toThrow(TypeError);
    expect(keysOf({ allowHttp: true }, issuer)).toBeInstanceOf(RemoteKeySet);
  });
});

it('"allowHttp" must be a boolean', () => {
  expect(() => keysOf({ jwks: jwksOf(one), allowHttp: 1 })).toThrow(
    new TypeError('accessTokens: option "allowHttp" must be a boolean, got a number'),
  );
});
