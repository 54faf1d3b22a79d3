import { describe, expect, it } from '@jest/globals';
import { checkResolverWatch } from '../../lib/options/check-resolver-watch.js';
import { Options } from '../../lib/options/options.js';

describe('checkResolverWatch', () => {
  it.each([
    ['without watch', {}],
    ['whose watch is undefined', { watch: undefined }],
    ['whose watch is a method', { watch: () => () => undefined }],
  ])('accepts a resolver %s', (_name, resolver) => {
    const options = new Options('apiKeys', { resolver }, ['resolver']);
    expect(checkResolverWatch(options, 'resolver', resolver)).toBe(resolver);
  });

  it.each([
    [null, 'null'],
    [true, 'a boolean'],
    ['feed', 'a string'],
    [{}, 'an object'],
  ])('refuses a resolver whose watch is %p', (watch, got) => {
    const resolver = { watch };
    const options = new Options('apiKeys', { resolver }, ['resolver']);
    expect(() => checkResolverWatch(options, 'resolver', resolver)).toThrow(
      new TypeError(`apiKeys: "watch" of the option "resolver" must be a function or undefined, got ${got}`),
    );
  });
});
