import { describe, expect, it, jest } from '@jest/globals';
import { apiKeys } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { holdTimers } from '../support/cache-bench.js';
import { keyedVerifier } from '../support/keyed-verifier.js';

holdTimers();

describe('apiKeys: options', () => {
  const given = (options: object) => () =>
    apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live', ...options });

  it.each([
    ['an unknown one', { keys: [] }, 'unknown option "keys"'],
    ['no resolver', { resolver: undefined }, 'option "resolver" must be a function, or an object with resolveKey()'],
    [
      'a resolver without its method',
      { resolver: {} },
      'option "resolver" must be a function, or an object with resolveKey()',
    ],
    [
      'a watch that cannot be called',
      { resolver: { resolveKey: () => null, watch: true } },
      '"watch" of the option "resolver" must be a function or undefined',
    ],
    ['no kinds', { kinds: undefined }, `option "kinds" must be a list of one or more of 'secret' and 'public'`],
    [
      'kinds that are a text',
      { kinds: 'secret' },
      `option "kinds" must be a list of one or more of 'secret' and 'public'`,
    ],
    ['empty kinds', { kinds: [] }, 'option "kinds": expected one or more values'],
    ['an unknown kind', { kinds: ['access'] }, `option "kinds": each value must be 'secret' or 'public'`],
    ['no environment', { environment: undefined }, `option "environment" must be 'live', 'sandbox' or 'any'`],
    ['an unknown environment', { environment: 'test' }, `option "environment" must be 'live', 'sandbox' or 'any'`],
    ['a format without its method', { format: /^sk_/ }, 'option "format" must be an object with read()'],
    ['a map without its method', { apis: { payments: [] } }, 'option "apis" must be an object with apisOf()'],
    ['a clock that lacks a hand', { clock: Date }, 'option "clock" must be an object with now() and monotonic()'],
    [
      'a clock that is half one',
      { clock: { monotonic: () => 0 } },
      'option "clock" must be an object with now() and monotonic()',
    ],
    ['no time for a lookup', { timeout: 0 }, 'option "timeout" must be a whole number from 1 to 60000'],
    ['too much of it', { timeout: 60_001 }, 'option "timeout" must be a whole number from 1 to 60000'],
    ['a fraction of a millisecond', { timeout: 1.5 }, 'option "timeout" must be a whole number'],
    ['no lookups', { maxLookups: 0 }, 'option "maxLookups" must be a whole number from 1 to 100000'],
    ['too many', { maxLookups: 100_001 }, 'option "maxLookups" must be a whole number from 1 to 100000'],
    ['a part of a lookup', { maxLookups: 1.5 }, 'option "maxLookups" must be a whole number'],
    ['a cache option that is wrong', { cache: { ttl: -1 } }, 'apiKeys: option "cache": option "ttl"'],
  ])('%s throws', (_what, options, message) => {
    expect(given(options)).toThrow(TypeError);
    expect(given(options)).toThrow(message);
    expect(given(options)).toThrow(/^apiKeys: /);
  });

  it('without options it throws', () => {
    expect(() => (apiKeys as (options?: unknown) => unknown)()).toThrow('apiKeys: expected an options object');
  });

  it.each([
    ['the least', { timeout: 1, maxLookups: 1 }],
    ['the most', { timeout: 60_000, maxLookups: 100_000 }],
    ['undefined for what may be left out', { format: undefined, apis: undefined, clock: undefined, cache: undefined }],
  ])('accepts %s', (_what, options) => {
    expect(given(options)).not.toThrow();
  });
});

describe('apiKeys: defaults', () => {
  it('lookups time out after a second, and at most a hundred are in flight', async () => {
    const { verify, table } = keyedVerifier();
    table.answer(() => new Promise(() => {}));
    const waiting = Array.from({ length: 100 }, () => verify(mintKey('secret', 'live')));
    expect(await verify(mintKey('secret', 'live'))).toMatchObject({ reason: 'lookup_too_many' });
    expect(table.lookups()).toBe(100);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all(waiting)).toEqual(Array(100).fill({ outcome: 'unavailable', reason: 'lookup_timed_out' }));
  });
});
