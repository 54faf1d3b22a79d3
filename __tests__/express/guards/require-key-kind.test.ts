import { describe, expect, it } from '@jest/globals';
import { type Kind, requireKeyKind } from 'keyward';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { judgement } from '../../support/guarded.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';

const PRINCIPALS = {
  secret: keyPrincipal(),
  public: keyPrincipal({ kind: 'public', apis: [], scopes: [] }),
  access: tokenPrincipal(),
};

describe('requireKeyKind', () => {
  it.each([
    ['nothing', [], 'expected one or more values'],
    [
      'an unknown kind',
      ['secret', 'admin'],
      "each value must be 'secret', 'public' or 'access', got an invalid string",
    ],
    ['an empty one', [''], "each value must be 'secret', 'public' or 'access', got an empty string"],
    [
      'a list',
      [['secret']],
      "each value must be 'secret', 'public' or 'access', got an array; do not wrap the values in an array",
    ],
  ])('throws at start: %s', (_name, kinds, message) => {
    expect(() => requireKeyKind(...(kinds as Kind[]))).toThrow(new TypeError(`requireKeyKind: ${message}`));
  });

  const subsets: Kind[][] = [
    ['secret'],
    ['public'],
    ['access'],
    ['secret', 'public'],
    ['secret', 'access'],
    ['public', 'access'],
    ['secret', 'public', 'access'],
  ];
  it.each(subsets.map((kinds) => [kinds.join(' or '), kinds] as const))('lets only %s pass', async (_n, kinds) => {
    for (const [kind, principal] of Object.entries(PRINCIPALS)) {
      const expected = kinds.some((one) => one === kind) ? 'passed' : 'insufficient_scope';
      expect([kind, await judgement(requireKeyKind(...kinds), principal)]).toEqual([kind, expected]);
    }
  });

  it('has its kinds in its name, names them for the audit, and has a reason', () => {
    const guard = requireKeyKind('secret', 'access');
    expect(guardMetadataOf(guard)).toEqual({ name: 'requireKeyKind(secret, access)', kinds: ['secret', 'access'] });
    expect(guard.check(PRINCIPALS.public, {} as never)).toEqual({ reason: 'kind' });
  });
});
