import nodeCrypto from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AccessTokensOptions, accessTokens } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { deferred } from '../support/deferred.js';
import { type IssuerServer, json, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf, jwksOf, NOW } from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const checks = jest.spyOn(nodeCrypto, 'verify');

let clock: ManualClock;
beforeEach(() => {
  checks.mockClear();
  clock = createManualClock();
});

const present = (token: string) => new PresentedCredential(token);
const verifierOf = (options: Partial<AccessTokensOptions> = {}) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, ...options });

type Verifier = ReturnType<typeof verifierOf>;

/** Asks, and says whether the token was in the cache: then no signature is checked. */
async function ask(verifier: Verifier, token: string) {
  const before = checks.mock.calls.length;
  const outcome = await verifier.verify(present(token));
  const isCached = checks.mock.calls.length === before;
  return outcome.outcome === 'accepted' ? { principal: outcome.principal, isCached } : outcome;
}

describe('the cache', () => {
  it('returns the same principal for every request with a token', async () => {
    const verifier = verifierOf();
    const first = await ask(verifier, forge(key, { jti: 'x' }));
    const token = forge(key);
    const [second, third] = [await ask(verifier, token), await ask(verifier, token)];
    expect(first).toMatchObject({ isCached: false });
    expect('principal' in second && 'principal' in third && second.principal === third.principal).toBe(true);
    expect(third).toMatchObject({ isCached: true });
  });

  it('gives each request its own outcome', async () => {
    const verifier = verifierOf();
    const token = forge(key);
    const outcomes = [await verifier.verify(present(token)), await verifier.verify(present(token))];
    Object.assign(outcomes[1] ?? {}, { principal: 'changed' });
    outcomes.push(await verifier.verify(present(token)));
    expect(outcomes[2]).toEqual(outcomes[0]);
  });

  it('decides a token that is not bound in the same tick, where DPoP is offered', async () => {
    const verifier = verifierOf({ dpop: { origin: 'https://api.example' } });
    const token = forge(key);
    await ask(verifier, token);
    expect(verifier.verify(present(token))).toMatchObject({ outcome: 'accepted' });
  });

  it('belongs to one verifier', async () => {
    const token = forge(key);
    await ask(verifierOf(), token);
    expect(await ask(verifierOf(), token)).toMatchObject({ isCached: false });
  });

  it('contains only accepted tokens', async () => {
    const verifier = verifierOf();
    const bad = forge({ ...createKey('ES256'), kid: 'ours' });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await ask(verifier, bad)).toEqual({ outcome: 'refused', reason: 'token_signature' });
      expect(checks).toHaveBeenCalledTimes(attempt);
    }
  });

  it('entries end at exp, to the millisecond', async () => {
    const verifier = verifierOf();
    const token = forge(key, { exp: NOW + 60 });
    await ask(verifier, token);
    clock.advance(59_999);
    expect(await ask(verifier, token)).toMatchObject({ isCached: true });
    clock.advance(1);
    expect(await ask(verifier, token)).toEqual({ outcome: 'refused', reason: 'expired' });
  });

  it('entries end at exp by the wall clock, independent of the monotonic clock', async () => {
    const verifier = verifierOf();
    const token = forge(key, { exp: NOW + 60 });
    await ask(verifier, token);
    clock.suspend(60_000);
    expect(await ask(verifier, token)).toEqual({ outcome: 'refused', reason: 'expired' });
  });

  it('keeps max tokens, the most recently used', async () => {
    const verifier = verifierOf({ cache: { max: 2 } });
    const [a, b, c] = ['a', 'b', 'c'].map((jti) => forge(key, { jti })) as [string, string, string];
    for (const token of [a, b, a, c]) await ask(verifier, token);
    const isCached = [];
    for (const token of [a, c, b]) isCached.push(await ask(verifier, token));
    expect(isCached).toMatchObject([{ isCached: true }, { isCached: true }, { isCached: false }]);
  });

  it('is cleared when everything changed, and for nothing else without access keys', async () => {
    const verifier = verifierOf();
    const token = forge(key);
    await ask(verifier, token);
    verifier.invalidate({ accessKey: 'ack_forged' });
    verifier.invalidate({ account: 'acc_1' });
    expect(await ask(verifier, token)).toMatchObject({ isCached: true });
    verifier.invalidate('all');
    expect(await ask(verifier, token)).toMatchObject({ isCached: false });
  });

  it('is not used with cache: false', async () => {
    const verifier = verifierOf({ cache: false });
    const token = forge(key);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await ask(verifier, token)).toMatchObject({ isCached: false });
      expect(checks).toHaveBeenCalledTimes(attempt);
    }
    expect(() => verifier.invalidate('all')).not.toThrow();
  });

  it('contains no credential', async () => {
    const verifier = verifierOf();
    const token = forge(key);
    await ask(verifier, token);
    const shown = inspect(verifier, { depth: null, showHidden: true }) + JSON.stringify(verifier);
    for (const part of token.split('.')) expect(shown).not.toContain(part);
  });
});

describe('one verification at a time for one token', () => {
  it('is shared by requests with that token', async () => {
    const verifier = verifierOf();
    const token = forge(key);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => verifier.verify(present(token))));
    const principals = outcomes.map((outcome) => outcome.outcome === 'accepted' && outcome.principal);
    expect([new Set(principals).size, checks.mock.calls.length]).toEqual([1, 1]);
    expect(principals[0]).toMatchObject({ kind: 'access' });
  });

  it('is not shared by other tokens', async () => {
    const verifier = verifierOf();
    const tokens = ['a', 'b'].map((jti) => forge(key, { jti }));
    const outcomes = await Promise.all(tokens.map((token) => verifier.verify(present(token))));
    expect([new Set(outcomes).size, checks.mock.calls.length]).toEqual([2, 2]);
  });

  it.each(['ES256', 'ES384'])('is not shared with cache: false, with a signature of %s', async (alg) => {
    const signer = createKey(alg);
    const verifier = verifierOf({ cache: false, jwks: jwksOf(signer) });
    const token = forge(signer);
    await Promise.all([verifier.verify(present(token)), verifier.verify(present(token))]);
    expect(checks).toHaveBeenCalledTimes(2);
  });

  it('ends with its result: a refusal is not cached', async () => {
    const verifier = verifierOf();
    const early = forge(key, { nbf: NOW + 10 });
    expect(await ask(verifier, early)).toEqual({ outcome: 'refused', reason: 'token_nbf' });
    clock.advance(10_000);
    expect(await ask(verifier, early)).toMatchObject({ isCached: false });
  });
});

describe('a verification that fails', () => {
  it('is a refusal if the signature is verified in the thread pool', async () => {
    const verifier = verifierOf({ jwks: jwksOf(createKey('ES384', 'slow')) });
    expect(await ask(verifier, forge(createKey('ES384', 'slow')))).toEqual({
      ...{ outcome: 'refused', reason: 'token_signature' },
    });
  });

  it('is shared while it is pending, and tried again afterwards', async () => {
    const fault = new Error('no map today');
    let isBroken = true;
    const apisOf = () => {
      if (isBroken) throw fault;
      return ['payments'];
    };
    const slow = createKey('ES384', 'slow');
    const verifier = verifierOf({ apis: { apisOf }, jwks: jwksOf(slow) });
    const token = forge(slow);
    const asked = [verifier.verify(present(token)), verifier.verify(present(token))];
    expect(await Promise.allSettled(asked)).toEqual([
      { status: 'rejected', reason: fault },
      { status: 'rejected', reason: fault },
    ]);
    expect(checks).toHaveBeenCalledTimes(1);
    isBroken = false;
    expect(await verifier.verify(present(token))).toMatchObject({ outcome: 'accepted' });
  });
});

describe('while the keys are fetched', () => {
  let issuer: IssuerServer;
  beforeEach(async () => {
    issuer = await serveIssuer(jwkOf(key));
  });
  afterEach(() => issuer.close());

  it('a token may expire: it is refused', async () => {
    const answer = deferred<void>();
    issuer.answer(async (req, res) => {
      await answer.promise;
      json(jwksOf(key))(req, res);
    });
    const verifier = verifierOf({ jwks: issuer.jwksUri });
    const outcome = verifier.verify(present(forge(key, { exp: NOW + 1 })));
    clock.advance(1_000);
    answer.resolve();
    expect(await outcome).toEqual({ outcome: 'refused', reason: 'expired' });
  });

  it('a token that was verified before is not verified again, while its key is published', async () => {
    const verifier = verifierOf({ jwks: issuer.jwksUri });
    const token = forge(key);
    await ask(verifier, token);
    clock.advance(300_000);
    expect(await ask(verifier, token)).toHaveProperty('principal');
    expect(checks).toHaveBeenCalledTimes(1);
  });

  it('a token is verified again if its key was replaced', async () => {
    const verifier = verifierOf({ jwks: issuer.jwksUri });
    const token = forge(key);
    await ask(verifier, token);
    issuer.publish(jwkOf(createKey('ES256', 'ours')));
    clock.advance(600_000);
    expect(await ask(verifier, token)).toEqual({ outcome: 'refused', reason: 'token_signature' });
    expect(checks).toHaveBeenCalledTimes(2);
  });

  it('a cached token is refused when its key is withdrawn meanwhile', async () => {
    const verifier = verifierOf({ jwks: issuer.jwksUri });
    const token = forge(key);
    // Asked without memory, as a wrapper may ask that hands on `verify` alone.
    for (let time = 1; time <= 3; time += 1) {
      expect(await verifier.verify(present(token))).toMatchObject({ outcome: 'accepted' });
    }
    issuer.publish(jwkOf(createKey('ES256', 'another')));
    clock.advance(600_000);
    expect(await verifier.verify(present(token))).toEqual({ outcome: 'refused', reason: 'token_kid' });
  });

  it('the issuer may fail: the request gets 503', async () => {
    issuer.answer(status(500));
    expect(await verifierOf({ jwks: issuer.jwksUri }).verify(present(forge(key)))).toEqual({
      ...{ outcome: 'unavailable', reason: 'keys_unavailable', retryAfter: expect.any(Number) },
    });
  });

  it('an error of the map of APIs is passed on', async () => {
    const fault = new Error('no map today');
    const apisOf = () => {
      throw fault;
    };
    const verifier = verifierOf({ jwks: issuer.jwksUri, apis: { apisOf } });
    await expect(verifier.verify(present(forge(key)))).rejects.toBe(fault);
  });

  it('an unexpected error is not a refusal', async () => {
    const fault = new Error('no clock');
    const monotonic = () => {
      throw fault;
    };
    const verifier = verifierOf({ jwks: issuer.jwksUri, clock: { now: clock.now, monotonic } });
    expect(() => verifier.verify(present(forge(key)))).toThrow(fault);
  });
});
