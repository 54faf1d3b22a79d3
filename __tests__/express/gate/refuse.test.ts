import { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { BearerError } from 'keyward';
import { type RefusalAnswer, refuse } from '../../../lib/express/gate/refuse.js';
import { plainChallenges } from '../../../lib/protocol/challenge.js';
import { requestOf } from '../../support/passage.js';

const challenge = { realm: 'api', resourceMetadata: undefined };
const GATE = { challenge, plainChallenges: plainChallenges(challenge), scopes: [] };
const NOT_SHARED = { 'cache-control': 'no-store', vary: 'Authorization' };

/** Refuses on a response as earlier middleware left it. */
function refused(answer: RefusalAnswer, prepare: (res: ServerResponse) => void = () => {}) {
  const res = new ServerResponse(requestOf());
  prepare(res);
  const errors: unknown[] = [];
  refuse(res, (error) => errors.push(error), GATE, answer);
  expect(errors).toHaveLength(1);
  return { res, error: errors[0] as BearerError };
}

describe('a refusal', () => {
  it('is set on the response before any error handler runs', () => {
    const { res } = refused({ code: 'credential_missing' });
    expect(res.getHeaders()).toEqual({ ...NOT_SHARED, 'www-authenticate': 'Bearer realm="api"' });
  });

  it('goes to next with code, scopes, and the same headers', () => {
    const scopes = ['payments', 'disputes'];
    const { error, res } = refused({ code: 'insufficient_scope', scopes });
    expect(error).toMatchObject({ code: 'insufficient_scope', status: 403, scopes });
    const lowerCase = Object.entries(error.headers).map(([name, value]) => [name.toLowerCase(), value]);
    expect(Object.fromEntries(lowerCase)).toEqual({ ...res.getHeaders() });
    expect(res.getHeader('www-authenticate')).toMatch(/, scope="payments disputes"$/);
    expect(Object.isFrozen(error.headers)).toBe(true);
  });

  it.each([
    ['1', undefined],
    ['30', 30],
  ])('has Retry-After of %s s for an outage, and no challenge', (expected, retryAfter) => {
    const { res } = refused({ code: 'temporarily_unavailable', retryAfter });
    expect(res.getHeaders()).toEqual({ ...NOT_SHARED, 'retry-after': expected });
  });

  it('has the challenge that the gate created in advance, if it needs no other', () => {
    const prepared = { ...GATE, plainChallenges: { ...GATE.plainChallenges, invalid_token: 'Bearer prepared' } };
    const res = new ServerResponse(requestOf());
    refuse(res, () => {}, prepared, { code: 'invalid_token', scheme: 'Bearer' });
    expect(res.getHeader('www-authenticate')).toBe('Bearer prepared');
  });

  it('offers the given schemes instead of those of the gate', () => {
    const { res } = refused({ code: 'invalid_token', scheme: 'Bearer', schemes: ['DPoP'] });
    expect(res.getHeader('www-authenticate')).toMatch(/^DPoP realm="api", error="invalid_token"/);
  });

  it('names the authentication that the user needs', () => {
    const { res } = refused({ code: 'insufficient_user_authentication', authenticationContext: { maxAge: 60 } });
    expect(res.getHeader('www-authenticate')).toMatch(/^Bearer realm="api", error="[^"]+", .*, max_age="60"$/);
  });

  it('has the nonce for the next DPoP proof', () => {
    const { res, error } = refused({ code: 'use_dpop_nonce', scheme: 'DPoP', dpopNonce: 'n-1' });
    expect([res.getHeader('dpop-nonce'), error.headers['DPoP-Nonce']]).toEqual(['n-1', 'n-1']);
  });

  it('replaces headers that allow caching', () => {
    const { res } = refused({ code: 'invalid_token' }, (prepared) => {
      prepared.setHeader('Cache-Control', 'public, max-age=60');
    });
    expect(res.getHeader('cache-control')).toBe('no-store');
  });

  it.each([
    ['nothing', undefined, 'Authorization'],
    ['another field', 'Origin', 'Origin, Authorization'],
    ['several', 'Origin,Accept-Encoding , Accept', 'Origin, Accept-Encoding, Accept, Authorization'],
    ['a list', ['Origin', 'Accept'], 'Origin, Accept, Authorization'],
    ['Authorization', 'Origin, Authorization', 'Origin, Authorization'],
    ['authorization in another case', 'AUTHORIZATION', 'AUTHORIZATION'],
    ['a field whose name goes on', 'X-Authorization', 'X-Authorization, Authorization'],
    ['everything', '*', '*'],
  ])('keeps the Vary of the response: %s', (_name, vary, expected) => {
    const { res, error } = refused({ code: 'invalid_token' }, (prepared) => {
      if (vary !== undefined) prepared.setHeader('Vary', vary);
    });
    expect([res.getHeader('vary'), error.headers.Vary]).toEqual([expected, expected]);
  });

  it('goes to next without changes if the headers were already sent', () => {
    const { res, error } = refused({ code: 'invalid_token' }, (prepared) => prepared.writeHead(200).flushHeaders());
    expect(res.getHeaders()).toEqual({});
    expect(error).toMatchObject({ code: 'invalid_token', headers: { 'Cache-Control': 'no-store' } });
  });
});
