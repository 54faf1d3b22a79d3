import { describe, expect, it } from '@jest/globals';
import { readCacheOptions } from '../../lib/cache/cache-options.js';

const DEFAULTS = { max: 10_000, ttl: 10_000, negativeTtl: 1_000, negativeMax: 10_000, staleIfError: 30_000 };

describe('readCacheOptions', () => {
  it.each([
    ['nothing', undefined],
    ['no option', {}],
    ['an option that is undefined', { ttl: undefined }],
  ])('has every default for %s', (_what, value) => {
    expect(readCacheOptions('apiKeys', value, false)).toEqual(DEFAULTS);
  });

  it('has a longer ttl if the resolver reports changes', () => {
    expect(readCacheOptions('apiKeys', {}, true)).toEqual({ ...DEFAULTS, ttl: 300_000 });
  });

  it('caches nothing for false', () => {
    expect(readCacheOptions('apiKeys', false, true)).toBeUndefined();
  });

  it('freezes the result', () => {
    expect(Object.isFrozen(readCacheOptions('apiKeys', {}, false))).toBe(true);
  });

  it.each([
    ['max', 1, 10_000_000],
    ['ttl', 0, 86_400_000],
    ['negativeTtl', 0, 86_400_000],
    ['negativeMax', 1, 10_000_000],
    ['staleIfError', 0, 300_000],
  ])('accepts %s from %d to %d', (name, least, most) => {
    expect(readCacheOptions('apiKeys', { [name]: least }, true)).toMatchObject({ [name]: least });
    expect(readCacheOptions('apiKeys', { [name]: most }, true)).toMatchObject({ [name]: most });
    for (const value of [least - 1, most + 1, Number.NaN, Number.POSITIVE_INFINITY, String(least), null, [least]]) {
      const read = () => readCacheOptions('apiKeys', { [name]: value }, true);
      expect(read).toThrow(`apiKeys: option "cache": option "${name}" must be a`);
    }
  });

  it.each([
    ['max', true],
    ['negativeMax', true],
    ['ttl', false],
    ['negativeTtl', false],
    ['staleIfError', false],
  ])('%s must be whole: %s', (name, whole) => {
    const read = () => readCacheOptions('apiKeys', { [name]: 1.5 }, false);
    if (whole) expect(read).toThrow('a whole number');
    else expect(read()).toMatchObject({ [name]: 1.5 });
  });

  it.each([
    ['an unknown option', { size: 1 }, 'unknown option "size"'],
    ['null', null, 'must be an options object, got null'],
    ['true', true, 'must be an options object, got a boolean'],
    ['a number', 10, 'must be an options object, got a number'],
    ['a list', [], 'must be an options object, got an empty array'],
  ])('refuses %s', (_what, value, message) => {
    const read = () => readCacheOptions('accessTokens', value, false);
    expect(read).toThrow(TypeError);
    expect(read).toThrow(message);
    expect(read).toThrow('accessTokens: option "cache"');
  });
});
