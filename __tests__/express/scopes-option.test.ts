import { expect, it } from '@jest/globals';
import { defineGuard } from '../../lib/express/guards/guard.js';

const withScopes = (scopes: unknown) => () =>
  defineGuard({ name: 'guard', scopes: scopes as readonly string[], check: () => true });

it('a list of scopes is accepted', () => {
  expect(withScopes(['payments', 'payments:refund'])).not.toThrow();
});

it.each([[[]], [['']], [['payments', 'two words']], [[1, 'payments']], ['payments']])(
  'anything but a list of valid scopes is refused: %j',
  (scopes) => {
    expect(withScopes(scopes)).toThrow(/option "scopes" must be a list of one or more scopes that consist of ASCII/);
  },
);
