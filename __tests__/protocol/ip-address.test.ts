import { expect, it } from '@jest/globals';
import { withoutMappedPrefix } from '../../lib/protocol/ip-address.js';

it.each([
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['::ffff:cb00:7107', '::ffff:cb00:7107'],
  ['::ffff:unknown', '::ffff:unknown'],
  ['', ''],
])('the address %j is shown as %j', (address, shown) => {
  expect(withoutMappedPrefix(address)).toBe(shown);
});
