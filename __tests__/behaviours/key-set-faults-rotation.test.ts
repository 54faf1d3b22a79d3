/** K10 to K16: keys that come, go and age. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accessTokens, type CredentialVerifier } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { A5, T1 } from '../support/answers.js';
import { type IssuerServer, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  base64url,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwkOf,
  NOW,
  unsigned,
} from '../support/token-forge.js';

const key = createKey('ES256', 'first');
const next = createKey('ES256', 'next');
const BAD_KID = refusal(T1, 'token_kid');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Tokens that outlive every case. */
const lasting = (signer: typeof key, jti: string) => forge(signer, { jti, exp: NOW + 86_400 });

let issuer: IssuerServer;
let api: TokenApi;
let clock: ManualClock;
let tokens: CredentialVerifier;

beforeEach(async () => {
  issuer = await serveIssuer(jwkOf(key));
  clock = createManualClock();
  tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwksUri, clock });
  api = await serveTokenApi([tokens]);
});
afterEach(() => Promise.all([issuer.close(), api.close()]));

const [, payload, signature] = assemble({}, claimsOf(), unsigned).split('.');
let floods = 0;

/** Presents forged tokens, each with a kid that was never seen, and says what became of them. */
async function flood(count: number): Promise<string[]> {
  floods += 1;
  const headers = Array.from({ length: count }, (_, i) => base64url({ ...headerOf(key), kid: `${floods}-${i}` }));
  const outcomes = await Promise.all(
    headers.map((header) => tokens.verify(new PresentedCredential(`${header}.${payload}.${signature}`))),
  );
  return [...new Set(outcomes.map(({ outcome }) => outcome))];
}

describe('rotation', () => {
  it('K10 a new kid: its first token causes one fetch, and old tokens stay valid', async () => {
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    issuer.publish(jwkOf(key), jwkOf(next));
    clock.advance(SECOND);
    expect(await api.judge(forge(next))).toEqual(ACCEPTED);
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    expect(await api.judge(forge(key, { jti: 'another' }))).toEqual(ACCEPTED);
    expect(issuer.asked.length).toBe(2);
  });

  it('K10 a new kid: concurrent first tokens cause one fetch, and none is refused', async () => {
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    issuer.publish(jwkOf(key), jwkOf(next));
    const replies = await Promise.all(['a', 'b', 'c'].map((jti) => api.present(forge(next, { jti }))));
    expect(replies.map(({ status: code }) => code)).toEqual([200, 200, 200]);
    expect(issuer.asked.length).toBe(2);
  });

  it('K13 a removed key: refused within ten minutes, together with cached tokens', async () => {
    const [cached, fresh] = [lasting(key, 'cached'), lasting(key, 'fresh')];
    issuer.publish(jwkOf(key), jwkOf(next));
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.publish(jwkOf(next));
    clock.advance(10 * MINUTE);
    expect(await api.judge(fresh)).toEqual(BAD_KID);
    expect(await api.judge(cached)).toEqual(BAD_KID);
  });

  it('K13 a removed key: any refresh withdraws it, together with cached tokens', async () => {
    const cached = lasting(key, 'cached');
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.publish(jwkOf(next));
    expect(await api.judge(lasting(next, 'fresh'))).toEqual(ACCEPTED);
    expect(await api.judge(cached)).toEqual(BAD_KID);
  });

  it('K14 the same kid with another key: tokens of the old key are dropped', async () => {
    const reissued = createKey('ES256', 'first');
    const cached = lasting(key, 'cached');
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.publish(jwkOf(reissued));
    clock.advance(10 * MINUTE);
    expect(await api.judge(lasting(reissued, 'new'))).toEqual(ACCEPTED);
    expect(await api.judge(cached)).toEqual(refusal(T1, 'token_signature'));
  });
});

describe('floods of unknown kids', () => {
  it('K11 10,000 in ten seconds: two fetches, and valid tokens are accepted', async () => {
    const cached = lasting(key, 'cached');
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    for (let second = 0; second < 10; second += 1) {
      expect(await flood(1_000)).toEqual(['refused']);
      expect(await api.judge(cached)).toEqual(ACCEPTED);
      expect(await api.judge(lasting(key, `fresh ${second}`))).toEqual(ACCEPTED);
      clock.advance(SECOND);
    }
    expect(issuer.asked.length).toBe(1 + 2);
  });

  it('K11 another fetch only after six seconds', async () => {
    await flood(1);
    await flood(1);
    const before = issuer.asked.length;
    clock.advance(6 * SECOND - 1);
    await flood(10);
    expect(issuer.asked.length).toBe(before);
    clock.advance(1);
    await flood(10);
    expect(issuer.asked.length).toBe(before + 1);
  });

  it('K12 the endpoint fails from the start: one fetch for each back-off, up to ten seconds', async () => {
    issuer.answer(status(500));
    const fetchedAt: number[] = [];
    for (let second = 0; second <= 50; second += 1) {
      const before = issuer.asked.length;
      expect(await flood(10)).toEqual(['unavailable']);
      for (let fetches = issuer.asked.length - before; fetches > 0; fetches -= 1) fetchedAt.push(second);
      clock.advance(SECOND);
    }
    expect(fetchedAt).toEqual([0, 1, 3, 7, 15, 25, 35, 45]);
  });

  it('K12 the endpoint fails and there are keys: valid tokens are accepted', async () => {
    const cached = lasting(key, 'cached');
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.answer(status(500));
    for (let second = 0; second < 60; second += 1) {
      expect(await flood(16)).toEqual(['unavailable']);
      expect(await api.judge(cached)).toEqual(ACCEPTED);
      clock.advance(SECOND);
    }
    expect(issuer.asked.length).toBe(1 + 9);
  });
});

describe('an endpoint that is down', () => {
  const cached = lasting(key, 'cached');
  beforeEach(async () => {
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.answer(status(500));
  });

  it('K15 for an hour: the keys are used, but not longer', async () => {
    clock.advance(HOUR);
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    expect(await api.judge(lasting(key, 'fresh'))).toEqual(ACCEPTED);
    clock.advance(1);
    for (const token of [cached, lasting(key, 'fresh'), lasting(key, 'never seen')]) {
      expect(await api.judge(token)).toMatchObject({ status: 503, challenge: undefined, reason: 'keys_unavailable' });
    }
    issuer.publish(jwkOf(key));
    clock.advance(10 * SECOND);
    expect(await api.judge(cached)).toEqual(ACCEPTED);
  });

  it('K15 for hours: the response has Retry-After, and is never 200', async () => {
    for (let hour = 0; hour < 3; hour += 1) {
      clock.advance(HOUR + 1);
      const { status: code, headers } = await api.present(cached);
      expect([code, headers['retry-after']]).toEqual([503, String(2 ** hour)]);
    }
  });

  it('K16 an unknown kid meanwhile is 503, and is not verified with old keys', async () => {
    clock.advance(30 * MINUTE);
    expect(await api.judge(lasting(next, 'unknown'))).toEqual(refusal(A5, 'keys_unavailable'));
    expect(await api.judge(lasting(key, 'known'))).toEqual(ACCEPTED);
  });
});
