import { describe, expect, it } from '@jest/globals';
import { KEY_ORDERS, readListFilter } from '../../lib/management/key-list-filter.js';
import { cursorOf } from '../../lib/management/pagination.js';

const KINDS = ['secret', 'public'] as const;
const NOW = 1_800_000_000_000;

describe('readListFilter', () => {
  it('reads every field', () => {
    const filter = {
      ...{ kind: 'public', environment: 'sandbox', api: 'payments', state: 'disabled', text: 'till' },
      ...{ unusedSince: new Date(NOW), sort: '-name', after: cursorOf({ value: 'Till', id: 'key_a' }), limit: 7 },
    };
    expect(readListFilter(filter, KINDS)).toEqual({
      ...{ kinds: ['public'], environment: 'sandbox', api: 'payments', state: 'disabled', text: 'till' },
      ...{
        unusedSince: NOW,
        sort: { by: 'name', isDescending: true },
        after: { value: 'Till', id: 'key_a' },
        limit: 7,
      },
    });
  });

  it('selects keys of all kinds by default, the newest first', () => {
    expect(readListFilter({}, KINDS)).toEqual({ kinds: KINDS, sort: { by: 'created', isDescending: true }, limit: 50 });
  });

  it.each(['kind', 'environment', 'state', 'sort', 'api', 'text', 'unusedSince', 'after', 'limit'])(
    'names the field %s if its value is wrong',
    (field) => {
      const expected = expect.objectContaining({ status: 400, code: 'invalid', field });
      expect(() => readListFilter({ [field]: 0 }, KINDS)).toThrow(expected);
    },
  );

  it('lists the fields and the orders that are allowed', () => {
    expect(() => readListFilter({ name: 'till' }, KINDS)).toThrow(
      'name: unknown field; expected one of kind, environment, api, state, text, unusedSince, sort, after, limit',
    );
    expect(KEY_ORDERS).toEqual(['created', '-created', 'name', '-name', 'used', '-used']);
  });
});
