import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type FormValues, NEW_FORM_VALUES, toFormValues } from '../../../lib/dashboard/forms/key-form-values.js';
import {
  toAccessKeyEdit,
  toAccessKeySettings,
  toKeyEdit,
  toKeySettings,
} from '../../../lib/dashboard/forms/to-settings.js';
import { ALL_SETTINGS, accessKey, publicKey, secretKey } from '../fixed-keys.js';

const some = (...names: string[]) => ({ of: 'some', names }) as const;
const chosen = (...names: string[]) => ({ of: undefined, names }) as const;
const ALL = { of: 'all', names: [] } as const;

/** The settings of an edit that were changed. */
function changed(edit: object) {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
}

describe('a new key', () => {
  const values: FormValues = { ...NEW_FORM_VALUES, apis: some('payments') };

  it('of few settings', () => {
    const few = { name: '', environment: 'live', channels: 'all', platform: null, expiresAt: null };
    expect(toKeySettings(values, 'secret')).toEqual({ ...few, kind: 'secret', apis: ['payments'], scopes: null });
    expect(toAccessKeySettings({ ...values, scopes: chosen('payments') })).toEqual({ ...few, scopes: ['payments'] });
  });

  it('of all settings', () => {
    const all = {
      ...{ ...values, name: 'Shop', environment: 'sandbox', channels: some('pc_1'), platform: 'shop' },
      ...{ expiresAt: '2030-12-31', metadata: 'a=b', allowedAddresses: '10.0.0.1', limits: '1/m' },
    };
    expect(toKeySettings(all, 'secret')).toEqual({
      ...{ kind: 'secret', name: 'Shop', environment: 'sandbox', apis: ['payments'], scopes: null },
      ...{ channels: ['pc_1'], platform: 'shop', expiresAt: new Date('2031-01-01T00:00:00Z') },
      ...{ metadata: { a: 'b' }, allowedAddresses: ['10.0.0.1'], limits: [{ requests: 1, seconds: 60 }] },
    });
  });

  it.each([[['payments']], [[]]])('a public key of the scopes %j', (names) => {
    const { scopes } = toKeySettings({ ...values, scopes: some(...names) }, 'public');
    expect(scopes).toEqual(names.length === 0 ? null : names);
  });

  it.each([
    [ALL, undefined],
    [some('payments'), ['payments']],
    [chosen('payments'), ['payments']],
    [some(), []],
  ])('an access key of the default scopes %j', (defaultScopes, expected) => {
    const form = { ...values, scopes: chosen('payments', 'disputes'), defaultScopes };
    expect(toAccessKeySettings(form).defaultScopes).toEqual(expected);
  });

  it.each(['apis', 'scopes', 'channels'] as const)(
    'all %s and some of them are refused, and so is no choice',
    (field) => {
      const refused = (choice: FormValues['apis'], message: RegExp) =>
        expect(() => toKeySettings({ ...values, [field]: choice }, 'secret')).toThrow(message);
      refused({ of: 'all', names: ['payments'] }, new RegExp(`^${field}: you chose all ${field}, but`, 'i'));
      refused({ of: undefined, names: [] }, new RegExp(`^${field}: choose all ${field} or only`, 'i'));
    },
  );
});

describe('an edit', () => {
  const KEYS: readonly (readonly [string, KeyView])[] = [
    ['a secret key', secretKey()],
    ['a secret key of all settings', secretKey(ALL_SETTINGS)],
    ['a key without a name', secretKey({ name: null })],
    ['a secret key without scopes', secretKey({ scopes: [] })],
    ['a public key', publicKey()],
    ['a public key without scopes', publicKey({ scopes: [] })],
    ['a public key of scopes', publicKey({ scopes: ['payments'] })],
    ['a key that expires during a day', secretKey({ expiresAt: new Date('2030-06-01T12:30:00Z') })],
  ];

  it.each(KEYS)('of %s without a change', (_name, key) => {
    expect(changed(toKeyEdit(toFormValues(key), key, 3))).toEqual({ version: 3 });
  });

  it.each<[string, KeyView, Partial<FormValues>, object]>([
    ['a name', secretKey(), { name: 'Other' }, { name: 'Other' }],
    ['no name', secretKey(), { name: '' }, { name: null }],
    ['a first name', secretKey({ name: null }), { name: 'Other' }, { name: 'Other' }],
    ['APIs', secretKey(), { apis: some('disputes') }, { apis: ['disputes'] }],
    ['all APIs', secretKey(), { apis: ALL }, { apis: 'all' }],
    ['scopes', secretKey(), { scopes: some('payments') }, { scopes: ['payments'] }],
    ['no scopes', secretKey(), { scopes: some() }, { scopes: [] }],
    ['all scopes', secretKey({ scopes: ['payments'] }), { scopes: ALL }, { scopes: null }],
    ['scopes of a public key', publicKey(), { scopes: some('payments') }, { scopes: ['payments'] }],
    ['no scopes of a public key', publicKey({ scopes: ['payments'] }), { scopes: some() }, { scopes: null }],
    ['channels', secretKey(), { channels: some('pc_1') }, { channels: ['pc_1'] }],
    ['channels like letters of "all"', secretKey(), { channels: some('a', 'l', 'll') }, { channels: ['a', 'l', 'll'] }],
    ['all of three channels', secretKey({ channels: ['a', 'b', 'c'] }), { channels: ALL }, { channels: 'all' }],
    ['a platform', secretKey(), { platform: 'shop' }, { platform: 'shop' }],
    ['no platform', secretKey(ALL_SETTINGS), { platform: '' }, { platform: null }],
    ['a day', secretKey(), { expiresAt: '2030-12-31' }, { expiresAt: new Date('2031-01-01T00:00:00Z') }],
    ['no day', secretKey(ALL_SETTINGS), { expiresAt: '' }, { expiresAt: null }],
    ['metadata', secretKey(), { metadata: 'a=b' }, { metadata: { a: 'b' } }],
    ['no metadata', secretKey(ALL_SETTINGS), { metadata: '' }, { metadata: null }],
    ['addresses', secretKey(), { allowedAddresses: '10.0.0.1' }, { allowedAddresses: ['10.0.0.1'] }],
    ['no addresses', secretKey(ALL_SETTINGS), { allowedAddresses: '' }, { allowedAddresses: null }],
    ['limits', secretKey(), { limits: '1/m' }, { limits: [{ requests: 1, seconds: 60 }] }],
    ['no limits', secretKey(ALL_SETTINGS), { limits: '' }, { limits: null }],
    [
      'nothing, without the texts',
      secretKey(ALL_SETTINGS),
      { metadata: undefined, allowedAddresses: undefined, limits: undefined },
      {},
    ],
  ])('to %s', (_name, key, values, edit) => {
    expect(changed(toKeyEdit({ ...toFormValues(key), ...values }, key, 3))).toEqual({ version: 3, ...edit });
  });
});

describe('an edit of an access key', () => {
  const key = accessKey({ scopes: ['payments', 'disputes'], defaultScopes: ['payments'] });

  it.each<[string, Partial<FormValues>, object]>([
    ['nothing', {}, {}],
    ['nothing, in another order', { scopes: some('disputes', 'payments') }, {}],
    ['default scopes', { defaultScopes: some('disputes') }, { defaultScopes: ['disputes'] }],
    ['all as default scopes', { defaultScopes: ALL }, { defaultScopes: ['payments', 'disputes'] }],
    ['scopes', { scopes: some('payments') }, { scopes: ['payments'], defaultScopes: ['payments'] }],
    [
      'scopes without a default scope',
      { scopes: some('disputes') },
      { scopes: ['disputes'], defaultScopes: ['payments'] },
    ],
  ])('to %s', (_name, values, edit) => {
    expect(changed(toAccessKeyEdit({ ...toFormValues(key), ...values }, key, 3))).toEqual({ version: 3, ...edit });
  });
});
