import { describe, expect, it } from '@jest/globals';
import { requireApi } from 'keyward';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { judgement } from '../../support/guarded.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';

describe('requireApi', () => {
  it.each([
    ['nothing', [], 'requireApi: expected one or more values'],
    ['an empty name', ['payments', ''], 'requireApi: each value must be a non-empty string, got an empty string'],
    [
      'a list',
      [['payments']],
      'requireApi: each value must be a non-empty string, got an array; do not wrap the values in an array',
    ],
  ])('throws at start: %s', (_name, apis, message) => {
    expect(() => requireApi(...(apis as string[]))).toThrow(new TypeError(message));
  });

  it.each([
    ['all APIs', keyPrincipal(), 'passed'],
    ['both', keyPrincipal({ apis: ['disputes', 'payments'] }), 'passed'],
    ['one of them', keyPrincipal({ apis: ['payments'] }), 'insufficient_scope'],
    ['the other', tokenPrincipal({ apis: ['disputes'] }), 'insufficient_scope'],
    ['others', keyPrincipal({ apis: ['paymentsx', 'payment', 'Payments', '*', 'disputes'] }), 'insufficient_scope'],
    ['none', keyPrincipal({ apis: [] }), 'insufficient_scope'],
  ])('requires all of two APIs: the principal has %s', async (_name, principal, expected) => {
    expect(await judgement(requireApi('payments', 'disputes'), principal)).toBe(expected);
  });

  it('has its APIs in its name, a reason, and no kinds', () => {
    const guard = requireApi('payments', 'disputes');
    expect(guardMetadataOf(guard)).toEqual({ name: 'requireApi(payments, disputes)', kinds: undefined });
    expect(guard.check(keyPrincipal({ apis: [] }), {} as never)).toEqual({ reason: 'api' });
  });
});
