import { describe, expect, it } from '@jest/globals';
import { includesAddress, isAddressRange } from '../../lib/credentials/address-list.js';

describe('isAddressRange', () => {
  it.each([
    ...['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '10.0.0.0/32', '10.0.0.0/9'],
    ...['2001:db8::1', '2001:db8::/32', '::/0', '::1/128', '::/99', '::/10'],
  ])('accepts %s', (range) => {
    expect(isAddressRange(range)).toBe(true);
  });

  it.each([
    ...['', 'example.com', '203.0.113', '203.0.113.7/33', '2001:db8::/129', '203.0.113.0/', '203.0.113.0/024'],
    ...['203.0.113.0/+8', '203.0.113.0/8x', '203.0.113.0/x8', '203.0.113.0/a', '203.0.113.0/0x8', '203.0.113.0/1e1'],
    ...['203.0.113.0/ 8', '10.0.0.0/8/8', 'fe80::1%eth0', '::/1280', '203.0.113.0/00', '203.0.113.0/-1'],
  ])('refuses %p', (range) => {
    expect(isAddressRange(range)).toBe(false);
  });

  it.each([[undefined], [null], [7], [['203.0.113.7']]])('refuses %p, which is no text', (value) => {
    expect(isAddressRange(value)).toBe(false);
  });
});

describe('includesAddress', () => {
  const RANGES = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'];

  it.each([
    ...['203.0.113.1', '203.0.113.255', '203.0.113.1:443', '198.51.100.7', '2001:db8::5', '[2001:db8::5]:443'],
    ...['::ffff:203.0.113.1', '64:ff9b::198.51.100.7'],
  ])('%s is in one of the ranges', (address) => {
    expect(includesAddress(RANGES, address)).toBe(true);
  });

  it.each(['203.0.114.1', '198.51.100.8', '2001:db9::5', '::ffff:198.51.100.8', 'unknown', ''])(
    '%p is in none',
    (address) => {
      expect(includesAddress(RANGES, address)).toBe(false);
    },
  );

  it('an unknown address is in no range, not even in one of all addresses', () => {
    expect(includesAddress(['0.0.0.0/0', '::/0'], undefined)).toBe(false);
  });

  it('gives the same answer for a list that it has seen before', () => {
    const ranges = ['203.0.113.7'];
    const answers = ['203.0.113.7', '203.0.113.8', '203.0.113.7'].map((address) => includesAddress(ranges, address));
    expect(answers).toEqual([true, false, true]);
  });
});
