/** Tokens without `kid` of an issuer that replaces its only key. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accessTokens } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { A5, T1 } from '../support/answers.js';
import { type IssuerServer, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, type ForgeKey, forge, ISSUER, jwkOf, jwksOf } from '../support/token-forge.js';

const [key, next, strangers] = [createKey('ES256', 'a'), createKey('ES256', 'b'), createKey('ES256', 'c')];
const SECOND = 1_000;
const WITHOUT_KID = { kid: undefined };
const BAD_SIGNATURE = refusal(T1, 'token_signature');

let issuer: IssuerServer;
let api: TokenApi;
let clock: ManualClock;
let tokens = 0;

const options = () => ({ issuer: ISSUER, audience: AUDIENCE, profile: 'jwt' as const, clock });

beforeEach(async () => {
  issuer = await serveIssuer(jwkOf(key, WITHOUT_KID));
  clock = createManualClock();
  api = await serveTokenApi([accessTokens({ ...options(), jwks: issuer.jwksUri })]);
});
afterEach(() => Promise.all([issuer.close(), api.close()]));

/** A token that was not presented before. */
function tokenOf(signer: ForgeKey, header: { kid?: string | undefined } = WITHOUT_KID): string {
  tokens += 1;
  return forge(signer, { jti: `token-${tokens}` }, header);
}

describe('a new key', () => {
  it('is used for its first token, after one fetch', async () => {
    const cached = tokenOf(key);
    expect(await api.judge(cached)).toEqual(ACCEPTED);
    issuer.publish(jwkOf(next, WITHOUT_KID));
    clock.advance(6 * SECOND);
    expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
    expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
    expect([await api.judge(cached), await api.judge(tokenOf(key))]).toEqual([BAD_SIGNATURE, BAD_SIGNATURE]);
    expect(issuer.asked.length).toBe(2);
  });

  it('is used for a token without kid also if the keys of the set have one', async () => {
    issuer.publish(jwkOf(key));
    expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    issuer.publish(jwkOf(next));
    clock.advance(6 * SECOND);
    expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
  });

  it('is used for concurrent tokens, after one fetch', async () => {
    expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    issuer.publish(jwkOf(next, WITHOUT_KID));
    clock.advance(6 * SECOND);
    const replies = await Promise.all([1, 2, 3].map(() => api.present(tokenOf(next))));
    expect(replies.map(({ status: code }) => code)).toEqual([200, 200, 200]);
    expect(issuer.asked.length).toBe(2);
  });

  it('is used if its signatures are verified in the thread pool', async () => {
    const [slow, slowNext] = [createKey('ES384'), createKey('ES384')];
    issuer.publish(jwkOf(slow, WITHOUT_KID));
    expect(await api.judge(tokenOf(slow))).toEqual(ACCEPTED);
    issuer.publish(jwkOf(slowNext, WITHOUT_KID));
    clock.advance(6 * SECOND);
    expect(await api.judge(tokenOf(slowNext))).toEqual(ACCEPTED);
    expect(await api.judge(tokenOf(slow))).toEqual(BAD_SIGNATURE);
    expect(issuer.asked.length).toBe(2);
  });

  it('beside the old one is not used, because the token does not say which of them it means', async () => {
    expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    issuer.publish(jwkOf(key), jwkOf(next));
    clock.advance(6 * SECOND);
    expect(await api.judge(tokenOf(next))).toEqual(BAD_SIGNATURE);
  });

  it('is not known while the set cannot be fetched: 503, and ten seconds after it can be fetched the key is used', async () => {
    expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    issuer.answer(status(500));
    clock.advance(6 * SECOND);
    for (let second = 0; second < 30; second += 1) {
      const answer = await api.judge(tokenOf(next));
      expect(answer).toEqual(refusal({ ...A5, retryAfter: answer.retryAfter }, 'keys_unavailable'));
      expect(Number(answer.retryAfter)).toBeLessThanOrEqual(10);
      expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
      clock.advance(SECOND);
    }
    expect(issuer.asked.length).toBeLessThanOrEqual(8);
    issuer.publish(jwkOf(next, WITHOUT_KID));
    clock.advance(10 * SECOND);
    expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
  });
});

describe('forged signatures', () => {
  it('cause one fetch in six seconds, and valid tokens are accepted', async () => {
    expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    for (let second = 1; second <= 60; second += 1) {
      clock.advance(SECOND);
      expect(await api.judge(tokenOf(strangers))).toEqual(BAD_SIGNATURE);
      expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    }
    expect(issuer.asked.length).toBe(1 + 10);
  });

  it('cause no second fetch right after the set was loaded', async () => {
    expect(await api.judge(tokenOf(strangers))).toEqual(BAD_SIGNATURE);
    clock.advance(6 * SECOND - 1);
    expect(await api.judge(tokenOf(strangers))).toEqual(BAD_SIGNATURE);
    expect(issuer.asked.length).toBe(1);
  });

  it('with a kid cause no fetch', async () => {
    issuer.publish(jwkOf(key));
    expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
    clock.advance(60 * SECOND);
    expect(await api.judge(tokenOf(strangers, { kid: key.kid }))).toEqual(BAD_SIGNATURE);
    expect(issuer.asked.length).toBe(1);
  });

  it('are refused synchronously if the set is an option', () => {
    const verifier = accessTokens({ ...options(), jwks: jwksOf(key) });
    const outcome = verifier.verify(new PresentedCredential(tokenOf(strangers)));
    expect(outcome).toEqual({ outcome: 'refused', reason: 'token_signature' });
  });
});
