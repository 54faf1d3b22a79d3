import { describe, expect, it } from '@jest/globals';
import { embeddedIPv4, parseIPv6, storedAddress, withoutPort } from '../../lib/protocol/ip-address.js';

it.each([
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['::ffff:cb00:7107', '::ffff:cb00:7107'],
  ['::ffff:unknown', '::ffff:unknown'],
  ['::fffe:203.0.113.7', '::fffe:203.0.113.7'],
  [
    '1111:2222:3333:4444:5555:6666:123.123.123.123%interface-with-name',
    '1111:2222:3333:4444:5555:6666:123.123.123.123%interface-with-nam',
  ],
  ['"'.repeat(65), '"'.repeat(64)],
  ['', ''],
])('the address %j is shown as %j', (address, shown) => {
  expect(storedAddress(address)).toBe(shown);
});

describe('withoutPort', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:443', '203.0.113.7'],
    ['203.0.113.7:65535', '203.0.113.7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[fe80::7%eth0]:443', 'fe80::7'],
    ['[fe80::7%eth0]', 'fe80::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['2001:db8::7:443', '2001:db8::7:443'],
    ['fe80::7%eth0', 'fe80::7'],
    ['1:2:3:4:5:6:7:8:443', '1:2:3:4:5:6:7:8'],
    ['host.example:443', 'host.example'],
    ['host%a', 'host%a'],
    ['203.0.113.7:443443', '203.0.113.7:443443'],
    ['[2001:db8::7]:443443', '[2001:db8::7]:443443'],
    ['x[2001:db8::7]', 'x[2001:db8::7]'],
    ['[2001:db8::7]x', '[2001:db8::7]x'],
    [':443', ':443'],
    ['203.0.113.7:', '203.0.113.7:'],
    ['203.0.113.7:https', '203.0.113.7:https'],
    ['[]', ''],
    ['', ''],
  ])('%j is %j', (address, host) => {
    expect(withoutPort(address)).toBe(host);
  });
});

describe('parseIPv6', () => {
  it.each([
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['1::', '1:0:0:0:0:0:0:0'],
    ['2001:DB8::00ff:7', '2001:db8:0:0:0:0:ff:7'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:203.0.113.7', '0:0:0:0:0:ffff:cb00:7107'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0:0:0:102:304'],
    ['1:2:3:4:5:6:255.255.0.1', '1:2:3:4:5:6:ffff:1'],
  ])('%s has the groups %s', (address, groups) => {
    expect(parseIPv6(address).join(':')).toBe(groups);
  });
});

describe('embeddedIPv4', () => {
  it.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['::ffff:0:ff', '0.0.0.255'],
    ['64:ff9b::198.51.100.255', '198.51.100.255'],
    ['64:ff9b::c633:64ff', '198.51.100.255'],
    ['64:ff9b:1::198.51.100.7', undefined],
    ['::198.51.100.7', undefined],
    ['1::ffff:203.0.113.7', undefined],
    ['2001:db8::7', undefined],
  ])('%s contains %s', (address, embedded) => {
    expect(embeddedIPv4(parseIPv6(address))).toBe(embedded);
  });
});
