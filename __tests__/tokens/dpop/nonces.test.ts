import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Nonces } from '../../../lib/tokens/dpop/nonces.js';
import { createManualClock } from '../../support/manual-clock.js';
import { NOW } from '../../support/token-forge.js';

const OLD = 'an old secret, which is long enough for HMAC';
const NEW = 'a new secret, which is long enough for HMAC';
const SECOND = 1_000;

const noncesOf = (secrets: readonly string[], clock = createManualClock()) =>
  new Nonces({ secrets, maxAge: 100, clock });

/** A nonce as the comments describe it, made without the code under test. */
function nonceAt(seconds: number, secret: string): string {
  const time = Buffer.from(seconds.toString(16).padStart(10, '0'), 'hex');
  const key = createHash('sha256').update(`keyward DPoP nonce\0${secret}`).digest();
  const mac = createHmac('sha256', key).update(time).digest().subarray(0, 16);
  return Buffer.concat([time, mac]).toString('base64url');
}

it('a nonce is the current second and 128 bits of its HMAC', () => {
  const clock = createManualClock();
  clock.advance(999);
  expect(noncesOf([NEW, OLD], clock).issue()).toBe(nonceAt(NOW, NEW));
  clock.advance(1);
  expect(noncesOf([NEW, OLD], clock).issue()).toBe(nonceAt(NOW + 1, NEW));
});

it('another process with the secret accepts it', () => {
  expect(noncesOf([NEW]).judge(noncesOf([NEW]).issue())).toBe('current');
});

it.each([
  [0, 'current'],
  [50, 'current'],
  [51, 'aging'],
  [100, 'aging'],
  [101, 'refused'],
  [-5, 'current'],
  [-6, 'refused'],
])('a nonce of %d seconds, of at most 100: %s', (age, expected) => {
  expect(noncesOf([NEW]).judge(nonceAt(NOW - age, NEW))).toBe(expected);
});

it('counts its age in whole seconds', () => {
  const clock = createManualClock();
  const nonces = noncesOf([NEW], clock);
  const nonce = nonces.issue();
  clock.advance(100 * SECOND + 999);
  expect(nonces.judge(nonce)).toBe('aging');
  clock.advance(1);
  expect(nonces.judge(nonce)).toBe('refused');
});

describe('a rotation of the secret', () => {
  it('a nonce of a secret that is still listed is accepted, and replaced', () => {
    expect(noncesOf([NEW, OLD]).judge(nonceAt(NOW, OLD))).toBe('aging');
  });

  it('a nonce of another secret is refused', () => {
    expect(noncesOf([NEW]).judge(nonceAt(NOW, OLD))).toBe('refused');
  });
});

describe('what is not a nonce is refused', () => {
  const good = nonceAt(NOW, NEW);

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['a list', [good]],
    ['an empty string', ''],
    ['one character less', good.slice(1)],
    ['one character more at the start', `A${good}`],
    ['one character more at the end', `${good}A`],
    ['another character', `${good.slice(0, -1)}=`],
    ['another time', `${nonceAt(NOW - 1, NEW).slice(0, 7)}${good.slice(7)}`],
    ['another MAC', `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`],
  ])('%s', (_name, nonce) => {
    expect(noncesOf([NEW]).judge(nonce)).toBe('refused');
  });
});
