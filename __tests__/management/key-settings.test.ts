import { describe, expect, it } from '@jest/globals';
import {
  readEdit,
  readNewAccessKey,
  readNewKey,
  readVersion,
  settingsOf,
  VersionCheck,
} from '../../lib/management/keys/key-settings.js';
import { keyRow } from '../support/stored-rows.js';

const NOW = 1_800_000_000_000;
const SCOPES = '["payments","disputes"]';
const ACCESS_KEY = keyRow({ kind: 'access', apis: null, scopes: SCOPES, default_scopes: SCOPES });
const NAME_EXPECTED =
  'expected at most 100 characters, not all of them spaces; tabs, line breaks and invisible formatting characters are not allowed';

const invalid = (field: string, message: string) =>
  expect.objectContaining({ status: 400, code: 'invalid', field, message: `${field}: ${message}` });
const edit = (given: object, row = ACCESS_KEY) => readEdit({ version: 1, ...given }, row, NOW, NOW).columns;

describe('settings that are refused', () => {
  it.each([
    ['name', '   ', NAME_EXPECTED],
    ['expiresAt', 'soon', 'expected a Date from 1970 to 9999'],
    ['expiresAt', new Date(NOW), 'expected a time in the future'],
    ['apis', [], 'expected one or more APIs'],
  ])('of an API key: %s %p', (field, value, message) => {
    const given = { kind: 'secret', apis: ['payments'], [field]: value };
    expect(() => readNewKey(given, NOW)).toThrow(invalid(field, message));
    expect(() => edit({ [field]: value }, keyRow())).toThrow(invalid(field, message));
  });

  it.each([
    ['scopes', [], 'expected one or more scopes'],
    ['defaultScopes', ['payouts', 'payments', 'refunds'], 'the key does not have these scopes: payouts, refunds'],
    ['requireConfirmation', 'tls', 'expected "dpop", "mtls", true or null'],
  ])('of an access key: %s %p', (field, value, message) => {
    const given = { scopes: ['payments', 'disputes'], [field]: value };
    expect(() => readNewAccessKey(given, NOW)).toThrow(invalid(field, message));
    expect(() => edit({ [field]: value })).toThrow(invalid(field, message));
  });

  it('an access key needs scopes, an API key does not', () => {
    for (const scopes of [undefined, null]) {
      expect(() => readNewAccessKey({ scopes }, NOW)).toThrow(expect.objectContaining({ field: 'scopes' }));
      expect(readNewKey({ kind: 'secret', apis: 'all', scopes }, NOW).columns.scopes).toBeNull();
    }
  });
});

describe('readEdit', () => {
  it('reads how the tokens of an access key must be bound', () => {
    expect(edit({ requireConfirmation: true }).require_confirmation).toBe('any');
  });

  it('reads an access key that is stored without scopes or default scopes', () => {
    expect(edit({ name: 'Till' }, { ...ACCESS_KEY, scopes: null })).toMatchObject({ default_scopes: '[]' });
    expect(edit({ name: 'Till' }, { ...ACCESS_KEY, default_scopes: null })).toMatchObject({ default_scopes: '[]' });
  });
});

describe('readVersion', () => {
  it('returns a VersionCheck as it is', () => {
    const check = new VersionCheck((version) => version > 1);
    expect(readVersion(check)).toBe(check);
  });

  it('returns a check for one version', () => {
    const check = readVersion(2);
    expect([1, 2, 3].map((version) => check.allows(version))).toEqual([false, true, false]);
  });

  it.each([0, -1, 1.5, '1', null])('refuses %p', (value) => {
    const message = 'expected the version that the key had when you read it, a positive whole number';
    expect(() => readVersion(value)).toThrow(invalid('version', message));
  });
});

describe('settingsOf', () => {
  const common = {
    ...{ name: null, channels: 'all', platform: null, expiresAt: null, disabled: false, tokensNotBefore: null },
    ...{ metadata: null, allowedAddresses: null, limits: null },
  };

  it('returns the settings of an API key', () => {
    const row = keyRow({ apis: '["payments"]', expires_at: NOW });
    const expiresAt = new Date(NOW);
    expect(settingsOf(row)).toEqual({ ...common, apis: ['payments'], scopes: null, defaultScopes: null, expiresAt });
    expect(settingsOf(row)).not.toHaveProperty('requireConfirmation');
  });

  it('returns the settings of an access key', () => {
    const row = keyRow({ ...ACCESS_KEY, require_confirmation: 'dpop', default_scopes: '["payments"]' });
    expect(settingsOf(row)).toEqual({
      ...{ ...common, apis: null, scopes: ['payments', 'disputes'], defaultScopes: ['payments'] },
      requireConfirmation: 'dpop',
    });
  });
});
