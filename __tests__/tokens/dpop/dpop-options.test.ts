import { describe, expect, it, jest } from '@jest/globals';
import { readDpopOptions } from '../../../lib/tokens/dpop/dpop-options.js';
import { athOf, createDpopClient, ORIGIN } from '../../support/dpop-client.js';
import { createManualClock } from '../../support/manual-clock.js';
import { createKey, type Members, NOW } from '../../support/token-forge.js';

const SECRET = 's'.repeat(32);
const client = await createDpopClient(createKey('ES256'));

const read = (options: unknown, clock = createManualClock()) => readDpopOptions('accessTokens', options, clock);
const withOrigin = (members: Members) => read({ origin: ORIGIN, ...members });

/** How a proof for `GET /` is verified. */
function verify(options: Members, claims: Members = {}, clock = createManualClock()) {
  const { proofs } = read({ origin: ORIGIN, ...options }, clock);
  const headers = { dpop: client.proof('token', claims) };
  return proofs.verify({ method: 'GET', url: '/', headers }, { tokenHash: athOf('token'), thumbprint: undefined });
}

const mistake = (name: string, expected: string, got: string, inside = '') =>
  new TypeError(`accessTokens: option "dpop"${inside}: option "${name}" must be ${expected}, got ${got}`);

describe('the defaults', () => {
  it('accept six algorithms, and tokens without a key', () => {
    const { algorithms, required } = withOrigin({});
    expect(algorithms).toEqual(['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']);
    expect(required).toBe(false);
  });

  it('accept a proof of a minute ago, without a nonce', () => {
    expect(verify({}, { iat: NOW - 60 })).toMatchObject({ outcome: 'proven', nonce: undefined });
    expect(verify({}, { iat: NOW - 61 })).toMatchObject({ outcome: 'refused', reason: 'dpop_iat' });
  });

  it('store used proofs in memory, by the given clock', () => {
    const clock = createManualClock();
    const { proofs } = read({ origin: ORIGIN }, clock);
    const use = () => {
      const headers = { dpop: client.proof('token', { jti: 'same', iat: clock.now() / 1_000 }) };
      return proofs.verify({ method: 'GET', url: '/', headers }, { tokenHash: undefined, thumbprint: undefined });
    };
    expect([use(), use()]).toMatchObject([{ outcome: 'proven' }, { reason: 'dpop_replayed' }]);
    clock.advance(72_000);
    expect(use()).toMatchObject({ outcome: 'proven' });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(withOrigin({}))).toBe(true);
  });
});

describe('the options', () => {
  it('are used', () => {
    const { algorithms, required } = withOrigin({ algorithms: ['ES384', 'ES256'], required: true });
    expect([algorithms, required]).toEqual([['ES384', 'ES256'], true]);
    expect(verify({ algorithms: ['ES384'] })).toMatchObject({ reason: 'dpop_alg' });
    expect(verify({ maxAge: 300 }, { iat: NOW - 300 })).toMatchObject({ outcome: 'proven' });
    const firstUse = jest.fn(() => false);
    expect(verify({ replay: { firstUse } })).toMatchObject({ reason: 'dpop_replayed' });
    expect(firstUse).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Members, string]>([
    ['algorithms', { algorithms: 'ES256' }, 'a list of'],
    ['maxAge', { maxAge: 0 }, 'a whole number from 1 to 300'],
    ['maxAge', { maxAge: 301 }, 'a whole number from 1 to 300'],
    ['required', { required: 'yes' }, 'a boolean'],
    ['replay', { replay: {} }, 'an object with firstUse()'],
  ])('%s of a wrong kind is refused: %j', (name, options, expected) => {
    expect(() => withOrigin(options)).toThrow(`accessTokens: option "dpop": option "${name}" must be ${expected}`);
  });

  it('must be an object, without other names', () => {
    expect(() => read(true)).toThrow(/^accessTokens: option "dpop" must be an options object, got a boolean/);
    expect(() => withOrigin({ origins: [] })).toThrow(/^accessTokens: option "dpop": unknown option "origins"/);
  });
});

describe('the nonce', () => {
  const nonceOf = (nonce: Members, clock = createManualClock()) => {
    const refused = verify({ nonce }, {}, clock);
    if (!('nonce' in refused)) throw new Error('no nonce');
    return refused.nonce;
  };
  const usedAfter = (seconds: number, nonce: Members, made = nonce) => {
    const clock = createManualClock();
    const value = nonceOf(made, clock);
    clock.advance(seconds * 1_000);
    return verify({ nonce }, { nonce: value, iat: clock.now() / 1_000 }, clock);
  };

  it('is required if the option is given', () => {
    expect(verify({ nonce: { secret: SECRET } })).toMatchObject({ code: 'use_dpop_nonce' });
    expect(usedAfter(0, { secret: SECRET })).toMatchObject({ outcome: 'proven' });
  });

  it('is accepted for five minutes, or for maxAge', () => {
    expect(usedAfter(300, { secret: SECRET })).toMatchObject({ outcome: 'proven' });
    expect(usedAfter(301, { secret: SECRET })).toMatchObject({ reason: 'dpop_nonce' });
    expect(usedAfter(10, { secret: SECRET, maxAge: 10 })).toMatchObject({ outcome: 'proven' });
    expect(usedAfter(11, { secret: SECRET, maxAge: 10 })).toMatchObject({ reason: 'dpop_nonce' });
  });

  it('may be made with any of the secrets', () => {
    const secret = ['n'.repeat(32), SECRET];
    expect(usedAfter(0, { secret }, { secret: SECRET })).toMatchObject({ outcome: 'proven' });
    expect(usedAfter(0, { secret: SECRET }, { secret })).toMatchObject({ reason: 'dpop_nonce' });
  });

  it('is not affected by later changes of the list of secrets', () => {
    const secret = [SECRET];
    const { proofs } = withOrigin({ nonce: { secret } });
    secret[0] = 'n'.repeat(32);
    const headers = { dpop: client.proof('token', { nonce: nonceOf({ secret: SECRET }) }) };
    expect(
      proofs.verify({ method: 'GET', url: '/', headers }, { tokenHash: undefined, thumbprint: undefined }),
    ).toMatchObject({ outcome: 'proven' });
  });

  const expected = 'a string of at least 32 characters, or a list of such strings';
  it.each<[string, unknown, string]>([
    ['none', undefined, 'undefined'],
    ['a short one', 's'.repeat(31), 'an invalid string'],
    ['a number', 7, 'a number'],
    ['an empty list', [], 'an empty array'],
    ['a list with a short one', [SECRET, 's'.repeat(31)], 'an array'],
    ['a list with a list that is long enough', [Array(32).fill('s')], 'an array'],
  ])('needs secrets of 32 characters: %s', (_name, secret, got) => {
    expect(() => withOrigin({ nonce: { secret } })).toThrow(mistake('secret', expected, got, ': option "nonce"'));
  });

  it.each([0, 3_601])('is accepted for a second to an hour, not for %d seconds', (maxAge) => {
    const refused = () => withOrigin({ nonce: { secret: SECRET, maxAge } });
    expect(refused).toThrow(mistake('maxAge', 'a whole number from 1 to 3600', String(maxAge), ': option "nonce"'));
  });

  it('has no other options', () => {
    expect(() => withOrigin({ nonce: { secret: SECRET, max: 1 } })).toThrow(
      /^accessTokens: option "dpop": option "nonce": unknown option "max"/,
    );
    expect(() => withOrigin({ nonce: SECRET })).toThrow(/option "nonce" must be an options object, got a string/);
  });
});

describe('the origin', () => {
  const at = (origin: unknown, htu: string) => verify({ origin }, { htu });

  it.each<[string, unknown, string]>([
    ['one', 'https://api.test', 'https://api.test/'],
    ['the first of several', ['https://one.test', 'https://two.test'], 'https://one.test/'],
    ['the last of several', ['https://one.test', 'https://two.test'], 'https://two.test/'],
    ['capitals', 'HTTPS://Api.Test', 'https://api.test/'],
    ['the default port', 'https://api.test:443', 'https://api.test/'],
    ['another port', 'https://api.test:8443', 'https://api.test:8443/'],
    ['this machine', 'http://localhost:3000', 'http://localhost:3000/'],
  ])('%s is accepted', (_name, origin, htu) => {
    expect(at(origin, htu)).toMatchObject({ outcome: 'proven' });
    expect(at(origin, `${htu}x`)).toMatchObject({ reason: 'dpop_htu' });
  });

  const expected = 'an origin such as https://api.example (http only for a loopback host), or a list of such origins';
  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [7, 'a number'],
    ['', 'an empty string'],
    ['api.test', 'an invalid string'],
    ['x https://api.test', 'an invalid string'],
    ['https://', 'an invalid string'],
    ['https://api.test/', 'an invalid string'],
    ['https://api.test/v1', 'an invalid string'],
    ['https://api.test?x', 'an invalid string'],
    ['https://api.test#x', 'an invalid string'],
    ['https://api.test\\v1', 'an invalid string'],
    ['https://me@api.test', 'an invalid string'],
    ['https://bücher.test', 'an invalid string'],
    ['http://api.test', 'an invalid string'],
    ['ftp://api.test', 'an invalid string'],
    [[], 'an empty array'],
    [['https://api.test', 'ftp://api.test'], 'an array'],
    [[['https://api.test']], 'an array'],
  ])('%j is refused', (origin, got) => {
    expect(() => read({ origin })).toThrow(mistake('origin', expected, got));
  });
});
