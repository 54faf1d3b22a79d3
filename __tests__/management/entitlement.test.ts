import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AccountEntitlement,
  checkEntitlement,
  hasLostChannel,
  type KeyEntitlement,
} from '../../lib/management/entitlement.js';
import { ManagementError } from '../../lib/management/management-error.js';
import { law } from '../support/law.js';

const ACCOUNT: AccountEntitlement = {
  apis: ['payments', 'disputes'],
  scopes: ['payments', 'payments:refund'],
  channels: ['pc_1', 'pc_2'],
  platforms: ['shop'],
};
const KEY: KeyEntitlement = { apis: ['payments'], scopes: null, channels: 'all', platform: null };

describe('checkEntitlement', () => {
  it.each<[string, Partial<KeyEntitlement>, Partial<AccountEntitlement>]>([
    ['one of its APIs', {}, {}],
    ['all of its APIs, by name', { apis: ['disputes', 'payments'] }, {}],
    ["'all', which is what the account has", { apis: 'all' }, {}],
    ['any API of an account that has all', { apis: ['reports'] }, { apis: 'all' }],
    ['no APIs, on an access key', { apis: null }, { apis: [] }],
    ['its scopes', { scopes: ['payments:refund'] }, {}],
    ['no scopes', { scopes: [] }, { scopes: [] }],
    ['one of its channels', { channels: ['pc_2'] }, {}],
    ['no channel', { channels: [] }, {}],
    ['any channel of an account that has all', { channels: ['pc_9'] }, { channels: 'all' }],
    ['a platform with exactly one channel', { platform: 'shop', channels: ['pc_1'] }, {}],
  ])('gives %s', (_what, key, account) => {
    expect(() => checkEntitlement({ ...KEY, ...key }, { ...ACCOUNT, ...account })).not.toThrow();
  });

  it.each<[string, string, string, Partial<KeyEntitlement>, Partial<AccountEntitlement>]>([
    ['an API of another account', 'apis', 'reports', { apis: ['payments', 'reports'] }, {}],
    ['an API in another case', 'apis', 'Payments', { apis: ['Payments'] }, {}],
    ['an API that an account without any lacks', 'apis', 'payments', {}, { apis: [] }],
    ['a scope that it lacks', 'scopes', 'disputes', { scopes: ['payments', 'disputes'] }, {}],
    ['a scope that begins with one of its own', 'scopes', 'payments:ref', { scopes: ['payments:ref'] }, {}],
    ['a channel that it lacks', 'channels', 'pc_3', { channels: ['pc_1', 'pc_3'] }, {}],
    ['a platform that it lacks', 'platform', 'bazaar', { platform: 'bazaar', channels: ['pc_1'] }, {}],
    ['a platform without a channel', 'channels', 'exactly one', { platform: 'shop', channels: [] }, {}],
    ['a platform with two channels', 'channels', 'exactly one', { platform: 'shop', channels: ['pc_1', 'pc_2'] }, {}],
    ["a platform with 'all' channels", 'channels', 'exactly one', { platform: 'shop', channels: 'all' }, {}],
    [
      "a platform with 'all' of one",
      'channels',
      'exactly one',
      { platform: 'shop', channels: 'all' },
      { channels: ['pc_1'] },
    ],
  ])('refuses %s', (_what, field, message, key, account) => {
    const error = thrownBy(() => checkEntitlement({ ...KEY, ...key }, { ...ACCOUNT, ...account }));
    expect(error).toMatchObject({ status: 400, code: 'invalid', field, message: expect.stringContaining(message) });
  });

  it('names each value that the account does not have', () => {
    const key = { ...KEY, apis: ['reports', 'payments', 'payouts'] };
    expect(() => checkEntitlement(key, ACCOUNT)).toThrow('apis: the account is not entitled to "reports", "payouts"');
  });

  law("gives exactly what lies within the account's, and one channel on a platform", () =>
    fc.property(keys, accounts, (key, account) => {
      const error = thrownBy(() => checkEntitlement(key, account));
      expect(error === undefined ? undefined : (error as ManagementError).field).toBe(brokenBy(key, account));
      if (error !== undefined) expect(error).toBeInstanceOf(ManagementError);
    }),
  );

  law('gives no less when the account has more', () =>
    fc.property(keys, accounts, accounts, (key, account, more) => {
      fc.pre(brokenBy(key, account) === undefined);
      const larger: AccountEntitlement = {
        apis: both(account.apis, more.apis),
        scopes: [...account.scopes, ...more.scopes],
        channels: both(account.channels, more.channels),
        platforms: [...account.platforms, ...more.platforms],
      };
      expect(thrownBy(() => checkEntitlement(key, larger))).toBeUndefined();
    }),
  );
});

describe('hasLostChannel', () => {
  it.each<[string, boolean, Pick<KeyEntitlement, 'channels' | 'platform'>, Partial<AccountEntitlement>]>([
    ['whose channel the account has lost', true, { platform: 'shop', channels: ['pc_9'] }, {}],
    ['whose channel the account has', false, { platform: 'shop', channels: ['pc_2'] }, {}],
    ['of an account that has all channels', false, { platform: 'shop', channels: ['pc_9'] }, { channels: 'all' }],
    ['that is for no platform', false, { platform: null, channels: ['pc_9'] }, {}],
  ])('of a key %s is %p', (_what, hasLost, key, account) => {
    expect(hasLostChannel(key, { ...ACCOUNT, ...account })).toBe(hasLost);
  });
});

const namesOf = (...names: readonly string[]) => fc.subarray([...names]);
const allOr = (names: fc.Arbitrary<string[]>) => fc.oneof(fc.constant('all' as const), names);
const apis = namesOf('payments', 'disputes', 'reports', 'toString');
const scopes = namesOf('payments', 'payments:refund', 'disputes', 'constructor');
const channels = namesOf('pc_1', 'pc_2', 'pc_3');
const keys: fc.Arbitrary<KeyEntitlement> = fc.record({
  apis: fc.option(allOr(apis)),
  scopes: fc.option(scopes),
  channels: allOr(channels),
  platform: fc.option(fc.constantFrom('shop', 'bazaar')),
});
const accounts: fc.Arbitrary<AccountEntitlement> = fc.record({
  apis: allOr(apis),
  scopes,
  channels: allOr(channels),
  platforms: namesOf('shop', 'bazaar'),
});

/** The first field that breaks a rule, by set logic alone. */
function brokenBy(key: KeyEntitlement, account: AccountEntitlement): string | undefined {
  const onPlatform = key.platform !== null;
  const rules: Record<string, boolean> = {
    apis: key.apis === 'all' || account.apis === 'all' || isSubset(key.apis ?? [], account.apis),
    scopes: isSubset(key.scopes ?? [], account.scopes),
    channels: key.channels === 'all' || account.channels === 'all' || isSubset(key.channels, account.channels),
    platform: !onPlatform || new Set(account.platforms).has(String(key.platform)),
  };
  const broken = Object.keys(rules).find((field) => rules[field] === false);
  const isOne = Array.isArray(key.channels) && key.channels.length === 1;
  return broken ?? (onPlatform && !isOne ? 'channels' : undefined);
}

function isSubset(names: readonly string[], of: readonly string[]): boolean {
  return new Set([...names, ...of]).size === new Set(of).size;
}

function both(one: 'all' | readonly string[], other: 'all' | readonly string[]) {
  return one === 'all' || other === 'all' ? ('all' as const) : [...one, ...other];
}

function thrownBy(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
