import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { accessTokens } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { createManualClock } from '../support/manual-clock.js';
import { AUDIENCE, assemble, claimsOf, createKey, headerOf, ISSUER, jwksOf, unsigned } from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const COUNT = 10_000;
/** A digest and what an entry takes beside it would be three times as much. */
const BYTES = 64;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  for (let times = 0; times < 3; times += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
}

it.each([
  ['of a key that nobody knows', 'token_kid', { kid: 'nobody' }, unsigned],
  ['with too short a signature', 'token_signature', {}, () => Buffer.from('short')],
])('forged tokens %s leave nothing behind', async (_what, reason, header, signer) => {
  const clock = createManualClock();
  const verifier = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });
  async function presentMany(round: string): Promise<void> {
    const reasons = new Set<unknown>();
    for (let number = 0; number < COUNT; number += 1) {
      const claims = { ...claimsOf(), jti: `${round}-${number}` };
      const token = assemble({ ...headerOf(key), ...header }, claims, signer);
      const outcome = await verifier.verify(new PresentedCredential(token));
      reasons.add(outcome.outcome === 'refused' && outcome.reason);
    }
    expect([...reasons]).toEqual([reason]);
  }
  await presentMany('first');
  const before = heapUsed();
  await presentMany('second');
  expect(heapUsed() - before).toBeLessThan(COUNT * BYTES);
});
