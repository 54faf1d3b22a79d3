import { describe, expect, it } from '@jest/globals';
import { requireScopes } from 'keyward';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { judgement } from '../../support/guarded.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';

const GRAMMAR =
  'a scope consists of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3)';

describe('requireScopes', () => {
  it.each([
    ['nothing', [], 'expected one or more values'],
    ['an empty scope', [''], 'each value must be a non-empty string, got an empty string'],
    [
      'a list',
      [['payments']],
      'each value must be a non-empty string, got an array; do not wrap the values in an array',
    ],
    ['two scopes in one text', ['payments disputes'], GRAMMAR],
    ['a quote, among good ones', ['payments', 'dis"putes'], GRAMMAR],
  ])('throws at start: %s', (_name, scopes, message) => {
    expect(() => requireScopes(...(scopes as string[]))).toThrow(TypeError);
    expect(() => requireScopes(...(scopes as string[]))).toThrow(new TypeError(`requireScopes: ${message}`));
  });

  const REFUSED = ['insufficient_scope', 'payments', 'payments:refund'];
  it.each([
    ['both', tokenPrincipal({ scopes: ['payments:refund', 'payments'] }), 'passed'],
    ['every scope of its APIs', keyPrincipal({ apis: ['payments'] }), 'passed'],
    ['one of them', tokenPrincipal({ scopes: ['payments'] }), REFUSED],
    ['the other', keyPrincipal({ scopes: ['payments:refund'] }), REFUSED],
    ['every scope of another API', keyPrincipal({ apis: ['disputes'] }), REFUSED],
    ['none', tokenPrincipal(), REFUSED],
  ])(
    'requires all of two scopes, and a refusal names both: the principal has %s',
    async (_name, principal, expected) => {
      expect(await judgement(requireScopes('payments', 'payments:refund'), principal)).toEqual(expected);
    },
  );

  it('has its scopes in its name, a reason, and no kinds', () => {
    const guard = requireScopes('a', 'b:c');
    expect(guardMetadataOf(guard)).toEqual({ name: 'requireScopes(a, b:c)', scopes: ['a', 'b:c'] });
    const refusal = guard.check(tokenPrincipal(), {} as never);
    expect(refusal).toEqual({ scopes: ['a', 'b:c'], reason: 'scope' });
    expect(Object.isFrozen(refusal)).toBe(true);
  });
});
