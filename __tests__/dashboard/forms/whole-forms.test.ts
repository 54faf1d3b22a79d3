import { describe, expect, it } from '@jest/globals';
import type { Management } from 'keyward/management';
import { choiceField } from '../../../lib/dashboard/forms/choice-field.js';
import { conflictDiff } from '../../../lib/dashboard/forms/conflict-diff.js';
import { LABELS, messageOf, type SettingsForm, toSentences } from '../../../lib/dashboard/forms/field-errors.js';
import { NEW_FORM_VALUES, SETTINGS_FIELDS, toFormValues } from '../../../lib/dashboard/forms/key-form-values.js';
import { errorSummary, settingsFields } from '../../../lib/dashboard/forms/settings-form.js';
import { ManagementError } from '../../../lib/management/management-error.js';
import { managed } from '../../support/managed.js';
import { START } from '../../support/manual-clock.js';
import {
  ACCOUNT,
  ALL_SETTINGS,
  accessKey,
  type FixedData,
  fixedManagement,
  publicKey,
  secretKey,
} from '../fixed-keys.js';
import { contentOf, DEVELOPER, FORM_ID, linesOf, OWNER, open, send } from '../whole-page.js';

const at = managed('memory');

/** The settings that a form must have, as the form of each kind sends them. */
const NEEDED = {
  secret: { kind: 'secret', 'apis.of': 'some', apis: 'payments', 'scopes.of': 'all', 'channels.of': 'all' },
  public: { kind: 'public', apis: 'payments', 'channels.of': 'all' },
  access: { scopes: 'payments', 'defaultScopes.of': 'all', 'channels.of': 'all' },
} as const;
const WRONG = {
  name: 'x'.repeat(101),
  expiresAt: '2027-02-31',
  allowedAddresses: 'localhost',
  limits: 'many',
  metadata: 'team',
};

describe('the form for a new key', () => {
  it.each<[string, string, FixedData?]>([
    ['a choice of kinds', '/keys/new'],
    ['a choice of kinds for the sandbox', '/keys/new?environment=sandbox'],
    ['a choice of kinds, of a disabled account', '/keys/new', { account: { disabled: true } }],
    ['a secret key', '/keys/new?kind=secret'],
    ['a secret key for the sandbox', '/keys/new?kind=secret&environment=sandbox'],
    ['a public key', '/keys/new?kind=public'],
    ['an access key', '/access-keys/new'],
    ['an account that may use everything', '/keys/new?kind=secret', { account: { apis: 'all', channels: 'all' } }],
    ['an account without scopes and platforms', '/keys/new?kind=secret', { account: { scopes: [], platforms: [] } }],
    ['an account without APIs', '/keys/new?kind=secret', { account: { apis: [] } }],
    ['an access key of an account without scopes', '/access-keys/new', { account: { scopes: [] } }],
    ['an access key of a disabled account', '/access-keys/new', { account: { disabled: true } }],
  ])('of %s', async (_name, address, data = {}) => {
    expect(contentOf(await open({ management: fixedManagement(data), member: DEVELOPER }, address))).toMatchSnapshot();
  });

  it.each(['live', 'sandbox'] as const)('has only the environment of the member: %s', async (environment) => {
    const visit = { management: fixedManagement(), member: { ...OWNER, environment } };
    const text = contentOf(await open(visit, '/keys/new?kind=public'));
    expect(/<fieldset id="field-environment".*?<\/fieldset>/s.exec(text)?.[0]).toMatchSnapshot();
  });

  it.each([
    ['/keys/new?kind=other', 'Choose whether to create a secret key or a public key.'],
    ['/keys/new?environment=other', 'The environment must be live or sandbox.'],
  ])('%s is refused', async (address, message) => {
    const refused = { status: 400, title: 'Invalid request', message };
    await expect(open({ management: fixedManagement() }, address)).rejects.toMatchObject(refused);
  });
});

describe('the form for a new key, after an error', () => {
  const refusedForm = async (
    kind: keyof typeof NEEDED,
    fields: Readonly<Record<string, string | readonly string[]>>,
  ) => {
    const { id } = await at.account();
    const form = { formId: FORM_ID, ...NEEDED[kind], ...fields };
    const pairs = Object.entries(form).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
    const visit = { management: at.management, member: { ...OWNER, account: id } };
    return contentOf(await send(visit, kind === 'access' ? '/access-keys' : '/keys', pairs));
  };

  it.each(['secret', 'public', 'access'] as const)('has every value: %s', async (kind) => {
    const choices = {
      ...{ 'channels.of': 'some', channels: ['pc_2', 'pc_9'], scopes: ['payments', 'lost'], platform: 'other' },
      ...(kind === 'access' && { 'defaultScopes.of': 'some', defaultScopes: 'payments' }),
      ...(kind !== 'access' && { apis: ['payments', 'lost'] }),
      ...(kind === 'secret' && { 'scopes.of': 'some' }),
    };
    const texts = {
      expiresAt: '2028-01-01',
      allowedAddresses: '203.0.113.7',
      limits: '100/1m',
      metadata: 'a=<b>\r\nc=d',
    };
    const form = { ...choices, ...texts, name: WRONG.name, environment: 'sandbox' };
    expect(await refusedForm(kind, form)).toMatchSnapshot();
  });

  /** The parts of the form that show an error. */
  const errorsIn = (text: string) =>
    text
      .split('\n')
      .filter((line) =>
        /^title|id="errors"|href="#field-|class="error"|aria-invalid|-error"|<details class="group"/.test(line),
      );

  it.each<[string, keyof typeof NEEDED, Readonly<Record<string, string | readonly string[]>>]>([
    ...Object.entries(WRONG).map(
      ([name, value]) => [name, 'secret', { [name]: value }] as [string, 'secret', Record<string, string>],
    ),
    ['a past day', 'secret', { expiresAt: '2001-01-01' }],
    ['JSON as metadata', 'secret', { metadata: '{' }],
    ['metadata twice', 'secret', { metadata: 'a=1\na=2' }],
    [
      'too many addresses',
      'secret',
      { allowedAddresses: Array.from({ length: 300 }, (_, one) => `2001:db8::${one}`).join(' ') },
    ],
    ['a limit that is too high', 'secret', { limits: '100/1m, 200/1m' }],
    ['no choice of APIs', 'secret', { 'apis.of': '', apis: [] }],
    ['no API', 'secret', { apis: [] }],
    ['all APIs and some', 'secret', { 'apis.of': 'all' }],
    ['no API of a public key', 'public', { apis: [] }],
    ['no scope of an access key', 'access', { scopes: [] }],
    ['a scope that the account lacks', 'access', { scopes: 'lost' }],
    ['all scopes and some', 'secret', { scopes: 'payments' }],
    ['all default scopes and some', 'access', { defaultScopes: 'payments' }],
    ['a default scope that the key lacks', 'access', { 'defaultScopes.of': 'some', defaultScopes: 'disputes' }],
    ['all channels and some', 'secret', { channels: 'pc_1' }],
    ['no choice of channels', 'access', { 'channels.of': '' }],
    ['a platform that the account lacks', 'secret', { platform: 'other', 'channels.of': 'some', channels: 'pc_1' }],
    ['a platform without one channel', 'secret', { platform: 'shop' }],
    ['an environment', 'secret', { environment: 'other' }],
  ])('names it: %s', async (_name, kind, fields) => {
    expect(errorsIn(await refusedForm(kind, fields))).toMatchSnapshot();
  });
});

describe('the form that edits a key', () => {
  const editPage = async (data: FixedData, path: string) =>
    contentOf(await open({ management: fixedManagement(data) }, path));

  it.each([
    ['a secret key', secretKey()],
    ['a secret key with every setting', secretKey(ALL_SETTINGS)],
    ['a public key with addresses', publicKey({ allowedAddresses: ['203.0.113.7'], scopes: ['payments'] })],
    ['a key without a name that expires at an exact time', secretKey({ name: null, expiresAt: new Date(START + 9e9) })],
    ['a sandbox key', secretKey({ environment: 'sandbox' })],
  ])('of %s', async (_name, key) => {
    expect(await editPage({ keys: [key] }, `/keys/${key.id}/edit`)).toMatchSnapshot();
  });

  it('of an access key', async () => {
    const key = accessKey({ scopes: ['payments', 'disputes', 'lost'], defaultScopes: ['disputes'] });
    expect(await editPage({ keys: [key] }, '/access-keys/ack_3/edit')).toMatchSnapshot();
  });

  it.each([
    ['error', new ManagementError('invalid', 'name: expected at most 100 characters', 'name')],
    ['conflict', new ManagementError('version_conflict', 'the key has version 4')],
  ] as const)('after it was refused: %s', async (_name, refused) => {
    const form = {
      version: '2',
      name: 'Desk',
      'apis.of': 'all',
      'scopes.of': 'all',
      'channels.of': 'all',
      limits: '5/1m',
    };
    const management = fixedManagement({ keys: [secretKey()], refused });
    expect(contentOf(await send({ management }, '/keys/key_1/edit', form))).toMatchSnapshot();
  });

  it('leads back to the key', async () => {
    const management: Management = fixedManagement({ keys: [accessKey()] });
    const form = { version: '3', scopes: 'payments', 'defaultScopes.of': 'all', 'channels.of': 'all' };
    expect(contentOf(await send({ management }, '/access-keys/ack_3/edit', form))).toBe(
      '303\nLocation: /dash/access-keys/ack_3?done=edited',
    );
  });
});

describe('the table of a conflict', () => {
  const other = { ...ALL_SETTINGS, name: null, expiresAt: null, channels: 'all', metadata: null } as const;

  it.each([
    ['a secret key', secretKey(ALL_SETTINGS), secretKey(other)],
    ['a public key', publicKey({ ...ALL_SETTINGS, scopes: null }), publicKey(ALL_SETTINGS)],
    [
      'an access key',
      accessKey({ scopes: ['a', 'b'], defaultScopes: ['a'] }),
      accessKey({ scopes: ['b', 'a'], defaultScopes: ['a', 'b'] }),
    ],
    ['no difference', secretKey(), secretKey()],
    ['a public key that had all APIs', publicKey({ apis: 'all' }), publicKey({ apis: ['payments'] })],
    ['addresses', secretKey({ allowedAddresses: ['10.0.0.1', '10.0.0.2'] }), secretKey()],
  ])('of %s', (_name, key, edited) => {
    expect(linesOf(conflictDiff(key, toFormValues(edited)).text)).toMatchSnapshot();
  });

  it('does not compare how addresses are separated', () => {
    const key = secretKey({ allowedAddresses: ['10.0.0.1', '10.0.0.2'] });
    const values = { ...toFormValues(key), allowedAddresses: '10.0.0.1, 10.0.0.2' };
    expect(conflictDiff(key, values).text).not.toContain('differs');
  });

  it('leaves out settings that the form does not have', () => {
    const values = { ...NEW_FORM_VALUES, metadata: undefined, allowedAddresses: undefined, limits: undefined };
    expect(linesOf(conflictDiff(secretKey(), values).text)).toMatchSnapshot();
  });
});

describe('the parts of forms', () => {
  it('labels and names of fields', () => {
    expect({ LABELS, SETTINGS_FIELDS, NEW_FORM_VALUES }).toMatchSnapshot();
  });

  it('a choice', () => {
    const field = { name: 'apis', legend: 'APIs', noun: 'APIs', options: ['a', 'b'], error: undefined } as const;
    const some = { of: 'some', names: ['b', 'lost'] } as const;
    const fields = [
      choiceField({ ...field, choice: { of: undefined, names: [] } }),
      choiceField({ ...field, hint: 'A hint.', all: 'All APIs', choice: { of: 'all', names: [] } }),
      choiceField({ ...field, all: 'All APIs', choice: some, error: 'An error.' }),
      choiceField({ ...field, hint: 'A hint.', choice: some, error: 'An error.', options: 'all' }),
    ];
    expect(fields.map(({ text }) => linesOf(text)).join('\n\n')).toMatchSnapshot();
  });

  it('the values of a key', () => {
    const keys = [
      secretKey(),
      secretKey(ALL_SETTINGS),
      publicKey({ scopes: null, apis: 'all' }),
      accessKey(),
      accessKey({ scopes: ['a', 'b'], defaultScopes: ['b'] }),
      accessKey({ defaultScopes: null, expiresAt: new Date('2027-02-01T00:00:00.001Z') }),
    ];
    expect(keys.map(toFormValues)).toMatchSnapshot();
  });

  it('the summary of an error', () => {
    expect(errorSummary(undefined)).toBeUndefined();
    expect(errorSummary(new ManagementError('invalid', 'the body is not valid'))).toBeUndefined();
    const error = new ManagementError('invalid', 'limits: expected <numbers>', 'limits');
    expect(linesOf(errorSummary(error)?.text ?? '')).toMatchSnapshot();
  });

  it.each(Object.keys(LABELS))('an error at the field %s', (field) => {
    const error = new ManagementError('invalid', `${field}: expected another value; see the documentation`, field);
    const form = { values: toFormValues(secretKey(ALL_SETTINGS)), options: ACCOUNT, error, isNew: false, now: START };
    const lines = (kind: 'secret' | 'access') =>
      linesOf(settingsFields({ ...form, kind }).text)
        .split('\n')
        .filter((line) => /error|aria-invalid|<details/.test(line));
    expect([...lines('secret'), ...lines('access')]).toMatchSnapshot();
  });

  const fieldsOf = (kind: 'secret' | 'public', more: Partial<SettingsForm> = {}) =>
    settingsFields({
      kind,
      values: NEW_FORM_VALUES,
      options: ACCOUNT,
      error: undefined,
      isNew: true,
      now: START,
      ...more,
    }).text;

  it.each(['limits', 'metadata'])('an error at the empty field %s opens the rare settings', (field) => {
    expect(fieldsOf('secret')).toContain('<details class="group"><summary>');
    const error = new ManagementError('invalid', `${field}: expected another value`, field);
    expect(fieldsOf('secret', { error })).toContain('<details class="group" open><summary>');
  });

  it('of an account without scopes sends that all scopes are chosen', () => {
    const options = { ...ACCOUNT, scopes: [] };
    const values = { ...NEW_FORM_VALUES, scopes: { of: undefined, names: [] } };
    expect(fieldsOf('secret', { options, values })).toContain('name="scopes.of" value="all"');
  });

  it.each(['secret', 'public'] as const)('texts that the form of a %s key did not have are empty', (kind) => {
    const values = { ...NEW_FORM_VALUES, limits: undefined, metadata: undefined, allowedAddresses: undefined };
    expect(fieldsOf(kind, { values })).toBe(fieldsOf(kind));
    expect(fieldsOf(kind).includes('name="allowedAddresses"')).toBe(kind === 'secret');
  });

  it.each([
    'apis: expected one or more APIs',
    'scopes: expected one or more scopes',
    'channels: expected a list of at most 64 entries',
    'expiresAt: expected a time in the future',
    'expiresAt: expected a Date from 1970 to 9999',
    'allowedAddresses: expected an IP address or network, got "x"',
    'allowedAddresses: expected 1 to 100 addresses',
    'apis: the account is not entitled to "x"',
    'name: expected at most 100 characters',
    'name: wrong; try again',
  ])('the words for: %s', (message) => {
    const field = message.slice(0, message.indexOf(':'));
    expect(messageOf(new ManagementError('invalid', message, field))).toMatchSnapshot();
  });

  it('the sentences of a message', () => {
    expect(toSentences('the key is revoked; create a new key; then go on')).toBe(
      'The key is revoked. Create a new key. Then go on.',
    );
  });

  it('of a message leave what is in quotes as it is', () => {
    expect(toSentences('"till; first" is revoked; create "b; c"; go on')).toBe(
      '"till; first" is revoked. Create "b; c". Go on.',
    );
  });
});
