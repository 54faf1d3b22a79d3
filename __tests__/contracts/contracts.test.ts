import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { systemClock } from '../../lib/contracts/clock.js';
import { clockOption } from '../../lib/contracts/clock-option.js';
import { BUILT_IN, builtIn } from '../../lib/contracts/credential-verifier.js';
import { replayId } from '../../lib/contracts/replay-cache.js';
import { Options } from '../../lib/options/options.js';
import { DECLINING } from '../support/stub-verifier.js';

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
  const { verify } = DECLINING;
  const verifier = builtIn({ verify });
  expect(Reflect.get(verifier, BUILT_IN)).toBe(verify);
  expect([Object.isFrozen(verifier), Object.keys(verifier)]).toEqual([true, ['verify']]);
  expect(BUILT_IN in { ...verifier }).toBe(false);
  expect(BUILT_IN.description).toBe('keyward.builtIn');
});
