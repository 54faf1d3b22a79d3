import { expect, it } from '@jest/globals';
import type { Kind } from 'keyward';
import { HINT_LENGTH, hintOf } from '../../lib/credentials/secret-hint.js';

it.each<[Kind, string, string]>([
  ['secret', 'sk_0123456789abcd', 'sk_…abcd'],
  ['public', 'pk_sbox_0123456789abcd', 'pk_sbox_…abcd'],
  ['secret', 'acme_sk_0123456789abcd', 'acme_sk_…abcd'],
  ['secret', '0123456789abcd', '…abcd'],
  ['access', 'client_secret-0123abcd', '…abcd'],
])('the hint of a %s key %s is %s', (kind, text, hint) => {
  expect(hintOf(text, kind)).toBe(hint);
  expect(hint).toHaveLength(hint.indexOf('…') + 1 + HINT_LENGTH);
});
