import { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import {
  ANONYMOUS,
  BAD_DPOP_REQUEST,
  BAD_REQUEST,
  MISSING,
  offerNonce,
  refusalOf,
  SCHEME_MISSING,
  WRONG_SCHEME,
} from '../../../lib/express/gate/gate-verdict.js';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { requestOf } from '../../support/passage.js';

const bearer = new PresentedCredential('abc');
const dpop = new PresentedCredential('abc', undefined, undefined, 'DPoP');
const FINGERPRINT = bearer.digest.slice(0, 8);

it('a request without a credential', () => {
  expect([ANONYMOUS, MISSING, SCHEME_MISSING]).toEqual([
    { outcome: 'anonymous' },
    { outcome: 'refused', answer: { code: 'credential_missing' }, reason: 'nothing_presented' },
    {
      outcome: 'refused',
      answer: {
        code: 'credential_missing',
        description: 'A credential is required; send the key with the Bearer scheme in the Authorization header',
      },
      reason: 'scheme_missing',
    },
  ]);
});

describe('a malformed credential', () => {
  it.each([
    ['Bearer', bearer, BAD_REQUEST, undefined],
    ['DPoP', dpop, BAD_DPOP_REQUEST, 'DPoP'],
  ] as const)('in the scheme %s', (_name, credential, expected, scheme) => {
    expect(refusalOf({ outcome: 'malformed' }, credential)).toBe(expected);
    expect(expected).toEqual({ outcome: 'refused', answer: { code: 'invalid_request', scheme }, reason: 'malformed' });
  });
});

describe('a refused credential', () => {
  it('is named by its key, or by the start of its digest', () => {
    expect(refusalOf({ outcome: 'refused', reason: 'expired', keyId: 'key_1' }, bearer)).toEqual({
      outcome: 'refused',
      answer: { code: 'invalid_token', scheme: 'Bearer' },
      ...{ reason: 'expired', keyId: 'key_1', fingerprint: undefined },
    });
    expect(refusalOf(WRONG_SCHEME, dpop)).toEqual({
      outcome: 'refused',
      answer: { code: 'invalid_token', scheme: 'DPoP' },
      ...{ reason: 'cnf_scheme', keyId: undefined, fingerprint: FINGERPRINT },
    });
    expect([FINGERPRINT.length, Object.isFrozen(WRONG_SCHEME)]).toEqual([8, true]);
  });

  it.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['n-1', 'n-1'],
    ['!#[]~', '!#[]~'],
    ['a b', undefined],
    ['a"b', undefined],
    ['a\\b', undefined],
    ['a\n', undefined],
    ['\na', undefined],
    ['é', undefined],
  ])('has the nonce %j as %j (RFC 9449 section 8.1)', (dpopNonce, expected) => {
    const refused = { outcome: 'refused', reason: 'dpop_nonce', code: 'use_dpop_nonce', dpopNonce } as const;
    expect(refusalOf(refused, dpop)).toMatchObject({ answer: { code: 'use_dpop_nonce', dpopNonce: expected } });
  });
});

it.each<[unknown, number | undefined]>([
  [undefined, undefined],
  [7, 7],
  [0.1, 1],
  [1.1, 2],
  [0, 1],
  [-5, 1],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [1e21, undefined],
  ['7', undefined],
])('while nothing can be verified, retryAfter %p is %p seconds', (retryAfter, expected) => {
  const outcome = { outcome: 'unavailable', reason: 'keys_unavailable', retryAfter: retryAfter as number } as const;
  expect(refusalOf(outcome, bearer)).toEqual({
    ...{ outcome: 'refused', reason: 'keys_unavailable' },
    answer: { code: 'temporarily_unavailable', retryAfter: expected },
  });
});

describe('the nonce of an accepted proof', () => {
  const headersAfter = (nonce: string, headers: Record<string, string> = {}) => {
    const res = new ServerResponse(requestOf());
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    offerNonce(res, nonce);
    return { ...res.getHeaders() };
  };

  it('is in the response, which must not be cached', () => {
    expect(headersAfter('n-1')).toEqual({ 'dpop-nonce': 'n-1', 'cache-control': 'no-store' });
    expect(headersAfter('n-1', { 'Cache-Control': 'private' })).toEqual({
      'dpop-nonce': 'n-1',
      'cache-control': 'private',
    });
  });

  it.each(['', 'a b', 'a"b', 'a\r\nSet-Cookie: x'])('is left out if it is %j', (nonce) => {
    expect(headersAfter(nonce)).toEqual({});
  });

  it('is left out if the response has started', () => {
    const res = new ServerResponse(requestOf());
    res.writeHead(200);
    expect(() => offerNonce(res, 'n-1')).not.toThrow();
    expect(res.hasHeader('dpop-nonce')).toBe(false);
  });
});
