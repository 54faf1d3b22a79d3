/** K05 to K09: key sets that hold what they should not. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import { accessTokens, type KeySetFetch } from 'keyward';
import { A5, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type IssuerServer, serveIssuer } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf } from '../support/token-forge.js';

const key = createKey('ES256', 'good');
const oct: JWK = { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', alg: 'HS256' };
const BAD_KID = refusal(T1, 'token_kid');

let issuer: IssuerServer;
let api: TokenApi;
let clock: ManualClock;
let events: Eavesdropper;

beforeEach(async () => {
  issuer = await serveIssuer(jwkOf(key));
  clock = createManualClock();
  events = eavesdrop();
  api = await serveTokenApi([accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwksUri, clock })]);
});
afterEach(async () => {
  events.stop();
  await Promise.all([issuer.close(), api.close()]);
});

const alarms = () => events.heard<KeySetFetch>('keyward:key-set').filter(({ outcome }) => outcome === 'refused');

/** The set is refused and said to be, and the keys from before are used on. */
async function expectRefused(published: readonly JWK[], reason: string) {
  expect(await api.judge(forge(key))).toEqual(ACCEPTED);
  issuer.publish(...published);
  clock.advance(600_000);
  events.clear();
  const { status } = await api.present(forge(key));
  expect([status, issuer.asked.length]).toEqual([200, 2]);
  expect(alarms()).toEqual([{ issuer: ISSUER, outcome: 'refused', reason, keys: 1, withdrawn: 0 }]);
}

describe('sets that are refused', () => {
  const others = (count: number) => Array.from({ length: count }, (_, i) => jwkOf(key, { kid: `other ${i}` }));

  it.each([101, 1_000])('K05 %d keys', async (count) => {
    await expectRefused(others(count), 'the key set has more than 100 keys');
  });

  it('K05 100 keys are accepted', async () => {
    issuer.publish(...others(99), jwkOf(key));
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
  });

  it.each([
    ['the same material', jwkOf(key)],
    ['different material', jwkOf(createKey('ES256', 'good'))],
  ])('K06 a duplicate kid: %s', async (_name, again) => {
    await expectRefused(
      [jwkOf(key), again],
      'the key set has two keys with the same kid; each key must have its own kid',
    );
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'])('K08 a private member: %s', async (member) => {
    await expectRefused(
      [jwkOf(key), jwkOf(createKey('ES256', 'leaked'), { [member]: 'c2VjcmV0' })],
      'the key set contains a private key; it may contain only public keys',
    );
  });
});

describe('keys that are left out', () => {
  it('K07 only oct keys', async () => {
    issuer.publish(oct);
    expect(await api.judge(forge(key))).toEqual(refusal(A5, 'keys_unavailable'));
    expect(alarms()).toMatchObject([{ reason: 'the key set has no key that can verify signatures' }]);
  });

  it('K07 oct keys among others', async () => {
    issuer.publish(oct, jwkOf(key));
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    expect(await api.judge(forge(key, {}, { kid: 'oct' }))).toEqual(BAD_KID);
    expect(await api.judge(forge(key, {}, { kid: 'oct', alg: 'HS256' }))).toEqual(refusal(T1, 'token_alg'));
  });

  const { x } = jwkOf(key);

  it.each<[string, JWK]>([
    ['a bad n', { kty: 'RSA', n: '!', e: 'AQAB', kid: 'bad', alg: 'RS256' }],
    ['a point off its curve', jwkOf(key, { y: x, kid: 'bad' })],
    ['an unknown kty', { kty: 'AKP', kid: 'bad', alg: 'ML-DSA-44' }],
    ['no kty', { x: String(x), kid: 'bad' } as unknown as JWK],
    ['a kid that is no text', jwkOf(key, { kid: 1 })],
    ['a curve that no algorithm uses', { kty: 'EC', crv: 'secp256k1', kid: 'bad' }],
  ])('K09 %s among valid keys: the valid ones work', async (_name, bad) => {
    issuer.publish(bad, jwkOf(key));
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    expect(await api.judge(forge(key, {}, { kid: 'bad' }))).toEqual(BAD_KID);
    expect(alarms()).toEqual([]);
  });
});
