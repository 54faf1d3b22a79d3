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

  it.each([[null], [true], ['feed'], [{}]])('refuses a resolver whose watch is %p', (watch) => {
    const resolver = { watch };
    const options = new Options('apiKeys', { resolver }, ['resolver']);
    expect(() => checkResolverWatch(options, 'resolver', resolver)).toThrow(
      new TypeError(
        'apiKeys: option "resolver" must be a resolver whose "watch" is a function or undefined, got an object',
      ),
    );
  });
});
