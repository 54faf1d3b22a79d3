import { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import {
  authOf,
  type BearerError,
  type CredentialVerifier,
  type Decision,
  type Principal,
  type RequireBearerOptions,
  requireBearer,
} from 'keyward';
import { createTestKit } from 'keyward/testing';
import { gateMetadataOf } from '../../../lib/express/gate/gate-type.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { bearing, pass, type RequestParts, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier, answering, DECLINING } from '../../support/stub-verifier.js';

const first = keyPrincipal({ keyId: 'first' });
const second = keyPrincipal({ keyId: 'second' });
const FORM = 'application/x-www-form-urlencoded';
const gateOf = (accept: readonly CredentialVerifier[], options: Partial<RequireBearerOptions> = {}) =>
  requireBearer({ accept, ...options });

/** What came of a request with a credential. */
async function outcomeOf(accept: readonly CredentialVerifier[], options: Partial<RequireBearerOptions> = {}) {
  const { req, passed, error } = await pass(bearing('abc'), gateOf(accept, options));
  return passed ? authOf(req).keyId : (error as BearerError).code;
}

describe('requireBearer asks its verifiers in order', () => {
  const refusing = answering({ outcome: 'refused', reason: 'no' });
  const unable = answering({ outcome: 'unavailable', reason: 'down' });

  it.each([
    ['the first that claims decides', [acceptingVerifier(first), acceptingVerifier(second)], 'first'],
    ['one that declines leaves it to the next', [DECLINING, acceptingVerifier(second)], 'second'],
    ['one that refuses ends it', [refusing, acceptingVerifier(second)], 'invalid_token'],
    ['one that cannot know ends it', [unable, acceptingVerifier(second)], 'temporarily_unavailable'],
    ['nobody claims: refused', [DECLINING, DECLINING], 'invalid_token'],
  ])('%s', async (_name, accept, expected) => {
    expect(await outcomeOf(accept)).toBe(expected);
  });

  it.each([
    ['synchronous', (verifier: CredentialVerifier) => verifier],
    [
      'asynchronous',
      ({ verify }: CredentialVerifier): CredentialVerifier => ({ verify: async (credential) => verify(credential) }),
    ],
  ])('%s answers give the same result', async (_name, wrap) => {
    expect(await outcomeOf([wrap(DECLINING), wrap(acceptingVerifier(second))])).toBe('second');
    expect(await outcomeOf([wrap(DECLINING), wrap(refusing)])).toBe('invalid_token');
    expect(await outcomeOf([wrap(unable)])).toBe('temporarily_unavailable');
  });

  it('asks no verifier about text that is not a b64token', async () => {
    const asked: string[] = [];
    const verifier: CredentialVerifier = {
      verify: (credential) => {
        asked.push(credential.reveal());
        return { outcome: 'declined' };
      },
    };
    expect((await pass(bearing('a c'), gateOf([verifier]))).error).toMatchObject({ code: 'invalid_request' });
    expect(asked).toEqual([]);
  });

  it('answers a cache hit synchronously', () => {
    const kit = createTestKit();
    const gate = gateOf(kit.accept);
    const key = kit.secretKey();
    const req = bearing(key);
    return pass(bearing(key), gate).then(() => {
      let passed = false;
      gate(req, new ServerResponse(req), () => {
        passed = true;
      });
      expect(passed).toBe(true);
    });
  });
});

/** Why the gate refused a request, as an event says it: the code of the response, the reason, and the key. */
async function refusalOf(principal: Principal, options: Partial<RequireBearerOptions>, parts: RequestParts = {}) {
  const events = eavesdrop();
  const { error } = await pass(bearing('abc', parts), gateOf([acceptingVerifier(principal)], options));
  const heard = events.heard<Decision>('keyward:decision');
  events.stop();
  const { code } = (error ?? {}) as Partial<BearerError>;
  const [{ reason, keyId } = {}] = heard.filter(({ outcome }) => outcome === 'refused');
  expect(heard.at(-1)?.code).toBe(code);
  return [code, reason, keyId];
}

const PASSED = [undefined, undefined, undefined];

describe('a key with allowed addresses', () => {
  const bound = keyPrincipal({ keyId: 'first', allowedAddresses: ['10.0.0.0/8', '::1'] });
  const unknown = ['invalid_token', 'address_not_allowed', 'first'];

  it.each([
    ['an address in the list', { ip: '10.1.2.3' }, PASSED],
    ['a second one', { ip: '::1' }, PASSED],
    ['another address', { ip: '11.1.2.3' }, unknown],
    ['an unknown address', {}, unknown],
  ])('from %s', async (_name, parts, expected) => {
    expect(await refusalOf(bound, {}, parts)).toEqual(expected);
  });

  it('is refused as an unknown key is', async () => {
    const from = async (verifier: CredentialVerifier) =>
      (await pass(bearing('abc', { ip: '11.1.2.3' }), gateOf([verifier]))).res.getHeaders();
    expect(await from(acceptingVerifier(bound))).toEqual(await from(DECLINING));
  });
});

describe('the option scopes', () => {
  const holding = (...scopes: string[]) => keyPrincipal({ keyId: 'first', scopes });

  it.each([
    ['all of them', ['a', 'b', 'c'], ['a', 'b'], PASSED],
    ['one of them', ['a'], ['a', 'b'], ['insufficient_scope', 'scope', 'first']],
    ['none of them', [], ['a'], ['insufficient_scope', 'scope', 'first']],
    ['none, where none is required', [], undefined, PASSED],
  ])('a key that holds %s', async (_name, held, scopes, expected) => {
    expect(await refusalOf(holding(...held), { scopes })).toEqual(expected);
  });

  it('is not affected by later changes of the list', async () => {
    const scopes = ['a'];
    const gate = gateOf([acceptingVerifier(holding())], { scopes });
    scopes.pop();
    expect((await pass(bearing('abc'), gate)).error).toMatchObject({ code: 'insufficient_scope', scopes: ['a'] });
  });
});

describe('the scheme', () => {
  const confirmation = { dpop: { algorithms: ['ES256'], required: false } };
  const proven = tokenPrincipal({ confirmation: 'dpop' });
  const using = (scheme: string, parts: RequestParts = {}) =>
    requestOf({ ...parts, headers: { authorization: `${scheme} abc` } });
  const codeOf = async (principal: Principal, scheme: string) => {
    const { passed, error } = await pass(using(scheme), gateOf([acceptingVerifier(principal, { confirmation })]));
    return passed ? 'passed' : (error as BearerError).code;
  };

  it.each([
    ['DPoP', 'with', 'passed', proven],
    ['Bearer', 'with', 'invalid_token', proven],
    ['DPoP', 'without', 'invalid_token', tokenPrincipal()],
    ['Bearer', 'without', 'passed', tokenPrincipal()],
  ])('%s of a token %s a proof: %s', async (scheme, _proof, expected, principal) => {
    expect(await codeOf(principal, scheme)).toBe(expected);
  });

  it('DPoP is refused without asking a verifier, if none checks proofs', async () => {
    const verify = (): never => {
      throw new Error('asked');
    };
    const { error } = await pass(using('DPoP'), gateOf([{ verify }]));
    expect(error).toMatchObject({ code: 'invalid_token' });
  });

  it.each([
    ['Bearer', /^Bearer realm="api", error="invalid_request"/],
    ['DPoP', /^DPoP realm="api", error="invalid_request"/],
  ])('%s of a bad request is that of its challenge', async (scheme, challenge) => {
    const gate = gateOf([acceptingVerifier(proven, { confirmation })]);
    const malformed = requestOf({ headers: { authorization: scheme } });
    for (const req of [malformed, using(scheme, { url: '/?access_token=abc' })]) {
      const { res, error } = await pass(req, gate);
      expect(error).toMatchObject({ code: 'invalid_request' });
      expect(res.getHeader('www-authenticate')).toMatch(challenge);
    }
  });

  it('DPoP of an accepted request can give the next nonce', async () => {
    const verifier = answering({ outcome: 'accepted', principal: proven, dpopNonce: 'n-1' }, { confirmation });
    const { passed, res } = await pass(using('DPoP'), gateOf([verifier]));
    expect([passed, res.getHeader('dpop-nonce')]).toEqual([true, 'n-1']);
  });
});

describe('a request that the parser of Node did not make', () => {
  it('passes without a URL', async () => {
    const req = Object.assign(bearing('abc'), { url: undefined });
    expect((await pass(req, gateOf([acceptingVerifier(first)]))).passed).toBe(true);
  });

  it('is malformed if its header is not a text', async () => {
    const asked = pass(requestOf({ headers: { authorization: 7 } }), gateOf([acceptingVerifier(first)]));
    expect((await asked).error).toMatchObject({ code: 'invalid_request' });
  });
});

describe('an outcome of a verifier whose getters throw', () => {
  const unreadable = {
    outcome: 'refused',
    get reason(): string {
      throw new RangeError('no reason');
    },
  };
  it.each([
    ['at once', answering(unreadable)],
    ['later', answering(Promise.resolve(unreadable))],
  ])('is 503, without the text of that error, %s', async (_name, verifier) => {
    const { error } = await pass(bearing('abc'), gateOf([verifier]));
    expect(error).toMatchObject({ code: 'temporarily_unavailable', status: 503 });
    expect(String(error)).not.toContain('no reason');
  });
});

describe('a principal that cannot be read after it was checked', () => {
  it('ends the request with an error, if the verifier answered later', async () => {
    const principal = Object.defineProperty({ ...first }, 'confirmation', {
      get() {
        if (Object.isFrozen(this)) throw new RangeError('no confirmation');
      },
    });
    const later = answering(Promise.resolve({ outcome: 'accepted', principal }));
    const { passed, error } = await pass(bearing('abc'), gateOf([later]));
    expect([passed, error]).toEqual([false, new RangeError('no confirmation')]);
  });
});

describe('a next that throws after a verifier answered later', () => {
  it('ends the response with 500', async () => {
    const later: CredentialVerifier = { verify: async () => ({ outcome: 'accepted', principal: first }) };
    const req = bearing('abc');
    const res = new ServerResponse(req);
    gateOf([later])(req, res, () => {
      throw new RangeError('broken');
    });
    await new Promise(setImmediate);
    expect([res.statusCode, res.writableEnded]).toEqual([500, true]);
  });
});

describe('a valid credential in the header', () => {
  const posted = (body: object) => bearing('abc', { headers: { 'content-type': FORM }, body });

  it.each([
    ['refused with another one', { access_token: 'abc' }, { code: 'invalid_request' }],
    ['accepted without another one', { token: 'abc' }, undefined],
  ])('is %s in a parsed form', async (_name, body, expected) => {
    const { error } = await pass(posted(body), gateOf([acceptingVerifier(first)]));
    expect(error).toEqual(expected && expect.objectContaining(expected));
  });
});

describe('the option optional', () => {
  const gate = gateOf([acceptingVerifier(first)], { optional: true });

  it('lets a request without a credential pass, without a principal', async () => {
    const { req, passed } = await pass(requestOf(), gate);
    expect(passed).toBe(true);
    expect('auth' in req).toBe(false);
  });

  it('lets a key without a scheme pass, without a principal', async () => {
    const { req, passed } = await pass(requestOf({ headers: { authorization: 'sk_abc' } }), gate);
    expect(passed).toBe(true);
    expect('auth' in req).toBe(false);
  });

  it('accepts a valid credential', async () => {
    expect(await outcomeOf([acceptingVerifier(first)], { optional: true })).toBe('first');
  });

  it.each([
    ['a malformed credential', gate, 'Bearer a b', 'invalid_request'],
    ['a bad one', gateOf([DECLINING], { optional: true }), 'Bearer abc', 'invalid_token'],
  ])('still refuses %s', async (_name, behind, authorization, code) => {
    expect((await pass(requestOf({ headers: { authorization } }), behind)).error).toMatchObject({ code });
  });

  it('is off by default', async () => {
    expect((await pass(requestOf(), gateOf([acceptingVerifier(first)]))).error).toMatchObject({
      code: 'credential_missing',
    });
  });
});

it('a key without a scheme is refused with a message that says to send the scheme', async () => {
  const { error } = await pass(requestOf({ headers: { authorization: 'sk_abc' } }), gateOf([acceptingVerifier(first)]));
  const message = expect.stringContaining('send the key with the Bearer scheme');
  expect(error).toMatchObject({ code: 'credential_missing', message });
});

describe('the option browserOrigin', () => {
  const page = { headers: { origin: 'https://shop.test' } };
  const from = async (
    principal: Parameters<typeof acceptingVerifier>[0],
    options: Partial<RequireBearerOptions>,
    parts = page,
  ) => (await pass(bearing('abc', parts), gateOf([acceptingVerifier(principal)], options))).error;

  it("refuses a secret key from a web page with 'refuse'", async () => {
    expect(await from(first, { browserOrigin: 'refuse' })).toMatchObject({ code: 'insufficient_scope', status: 403 });
  });

  it.each([
    ['null', 'null'],
    ['empty', ''],
  ])('refuses if the Origin is %s', async (_name, origin) => {
    const error = await from(first, { browserOrigin: 'refuse' }, { headers: { origin } });
    expect(error).toMatchObject({ code: 'insufficient_scope' });
  });

  it.each([
    ['a public key', keyPrincipal({ kind: 'public', apis: [], scopes: [] }), { browserOrigin: 'refuse' }, page],
    ['a token', tokenPrincipal(), { browserOrigin: 'refuse' }, page],
    ['a secret key from no page', first, { browserOrigin: 'refuse' }, { headers: {} }],
    ['a secret key where it says report', first, { browserOrigin: 'report' }, page],
    ['a secret key unless said', first, {}, page],
  ] as const)('lets %s pass', async (_name, principal, options, parts) => {
    expect(await from(principal, options, { ...parts } as typeof page)).toBeUndefined();
  });
});

describe('the challenge', () => {
  const challengeFor = async (options: Partial<RequireBearerOptions>, authorization?: string) => {
    const req = requestOf({ headers: authorization === undefined ? {} : { authorization } });
    return (await pass(req, gateOf([DECLINING], options))).res.getHeader('www-authenticate');
  };

  it.each([
    ['the realm is api unless said', {}, 'Bearer realm="api"'],
    ['a quote and a backslash in the realm are escaped', { realm: 'a "b" \\c' }, 'Bearer realm="a \\"b\\" \\\\c"'],
    [
      'the metadata of the resource',
      { resourceMetadata: 'https://api.test/m' },
      'Bearer realm="api", resource_metadata="https://api.test/m"',
    ],
  ])('%s', async (_name, options, challenge) => {
    expect(await challengeFor(options)).toBe(challenge);
  });

  it('says nothing about an invalid credential except that it is invalid', async () => {
    const description = 'The credential is invalid, expired or revoked';
    const expected = `Bearer realm="r", error="invalid_token", error_description="${description}"`;
    expect(await challengeFor({ realm: 'r' }, 'Bearer abc')).toBe(expected);
  });

  it('is not sent during an outage; Retry-After of the verifier is', async () => {
    const unable = answering({ outcome: 'unavailable', reason: 'down', retryAfter: 7 });
    const { res, error } = await pass(bearing('abc'), gateOf([unable]));
    expect(res.getHeaders()).toEqual({ 'cache-control': 'no-store', vary: 'Authorization', 'retry-after': '7' });
    expect(error).toMatchObject({ status: 503 });
  });
});

describe('two gates on one route', () => {
  it('the second decides again, and its principal replaces the first', async () => {
    const { req, passed } = await pass(
      bearing('abc'),
      gateOf([acceptingVerifier(first)]),
      gateOf([acceptingVerifier(second)]),
    );
    expect([passed, authOf(req).keyId, (req as { auth?: unknown }).auth]).toEqual([true, 'second', authOf(req)]);
  });

  it('each returns the principal that it accepted itself', async () => {
    const [outer, inner] = [gateOf([acceptingVerifier(first)]), gateOf([acceptingVerifier(second)])];
    const { req } = await pass(bearing('abc'), outer, inner);
    expect([outer.principal(req), inner.principal(req)]).toEqual([first, second]);
  });

  it('the second can refuse a credential that the first accepted', async () => {
    const { req, error } = await pass(bearing('abc'), gateOf([acceptingVerifier(first)]), gateOf([DECLINING]));
    expect(error).toMatchObject({ code: 'invalid_token' });
    expect(() => authOf(req)).toThrow('requireBearer has not accepted this request');
  });
});

describe('the metadata of a gate', () => {
  it.each([
    ['the kinds of its verifiers, each once', [['secret'], ['access', 'secret']], ['secret', 'access']],
    ['no kinds, where one verifier does not say', [['secret'], undefined], undefined],
  ] as const)('%s', (_name, kinds, expected) => {
    const accept = kinds.map((own) => ({ ...DECLINING, ...(own === undefined ? {} : { kinds: own }) }));
    expect(gateMetadataOf(gateOf(accept))?.kinds).toEqual(expected);
  });
});

describe('a verifier with an invalid retryAfter', () => {
  it.each([
    [-1, '1'],
    [0, '1'],
    [1.2, '2'],
  ])('%d: %s seconds', async (retryAfter, expected) => {
    const unable = answering({ outcome: 'unavailable', reason: 'down', retryAfter });
    const { res } = await pass(bearing('abc'), gateOf([unable]));
    expect(res.getHeader('retry-after')).toBe(expected);
  });

  it.each([['soon\n'], [Number.NaN], [Number.POSITIVE_INFINITY], [null], ['7']])(
    '%j: one second',
    async (retryAfter) => {
      const unable = answering({ outcome: 'unavailable', reason: 'down', retryAfter });
      const { res, error } = await pass(bearing('abc'), gateOf([unable]));
      expect([res.getHeader('retry-after'), (error as BearerError).status]).toEqual(['1', 503]);
    },
  );
});
