import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../lib/contracts/clock.js';
import { clockOption } from '../../lib/contracts/clock-option.js';
import { BUILT_IN, builtIn, ENTRY, type OutcomeWithEntry } from '../../lib/contracts/credential-verifier.js';
import { replayId } from '../../lib/contracts/replay-cache.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { Options } from '../../lib/options/options.js';
import { keyPrincipal } from '../support/principals.js';

const clockOf = (clock: unknown) => clockOption(new Options('factory', { clock }, ['clock']), 'clock');

it('the clock of an option is the given one, or that of the machine', () => {
  const clock = { now: () => 0, monotonic: () => 0 };
  expect([clockOf(clock), clockOf(undefined)]).toEqual([clock, systemClock]);
  expect(clockOf(clock)).toBe(clock);
});

it.each([{ now: () => 0 }, { monotonic: () => 0 }, null])('a clock needs both methods: %p', (clock) => {
  expect(() => clockOf(clock)).toThrow('option "clock" must be an object with now() and monotonic()');
});

it('the id of a use is the client and a digest', () => {
  const digest = createHash('sha256').update('jti').digest('base64url');
  expect(replayId('client', 'jti')).toBe(`client.${digest}`);
});

it('a built-in verifier is frozen, and has a mark that a copy does not have', () => {
  const verify = () => ({ outcome: 'declined' }) as const;
  const verifier = builtIn({ kinds: ['secret'] as const }, verify);
  expect(Reflect.get(verifier, BUILT_IN)).toEqual({ verifier, verify });
  expect(Reflect.get(verifier, BUILT_IN).verifier).toBe(verifier);
  expect([Object.isFrozen(verifier), Object.keys(verifier)]).toEqual([true, ['kinds', 'verify']]);
  expect(BUILT_IN in { ...verifier }).toBe(false);
  expect(BUILT_IN.description).toBe('keyward.builtIn');
});

describe('the method verify of a built-in verifier', () => {
  const principal = keyPrincipal();
  const entry = { principal, gate: undefined };
  const refused = { outcome: 'refused', reason: 'no' } as const;
  const shownOf = async (outcome: OutcomeWithEntry, isLater: boolean) => {
    const shown = builtIn({}, () => (isLater ? Promise.resolve(outcome) : outcome)).verify(
      new PresentedCredential('abc'),
    );
    expect(shown instanceof Promise).toBe(isLater);
    return shown;
  };

  it.each([false, true])('does not return the cache entry (later: %p)', async (isLater) => {
    const shown = await shownOf({ outcome: 'accepted', principal, dpopNonce: 'n', [ENTRY]: entry }, isLater);
    expect(shown).toEqual({ outcome: 'accepted', principal, dpopNonce: 'n' });
    expect(Reflect.ownKeys(shown)).not.toContain(ENTRY);
    expect(await shownOf(refused, isLater)).toBe(refused);
  });
});
