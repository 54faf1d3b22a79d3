import { describe, expect, it } from '@jest/globals';
import { type KeyView, type Management, ManagementError, type Member } from 'keyward/management';
import type { PageResponse } from '../../../lib/dashboard/http/page-response.js';
import { ROUTES } from '../../../lib/dashboard/pages/routes.js';
import {
  ALL_SETTINGS,
  accessKey,
  auditEntry,
  clientSecret,
  daysBefore,
  type FixedData,
  fixedManagement,
  msBefore,
  publicKey,
  publicKeyView,
  rotated,
  secretKey,
} from '../fixed-keys.js';
import { contentOf, DEVELOPER, FORM_ID, linesOf, OWNER, open, READER, send, wholeOf } from '../whole-page.js';

const HOUR = 3_600_000;

const EXPIRED = { state: 'expired', expiresAt: daysBefore(2) } as const;
const DISABLED = { state: 'disabled', disabledAt: daysBefore(3) } as const;
const REVOKED = { state: 'revoked', revokedAt: daysBefore(4) } as const;

/** The content of a page with fixed data. */
const pageOf = async (data: FixedData, address: string, member: Member = OWNER) =>
  contentOf(await open({ management: fixedManagement(data), member }, address));
const answerOf = async (
  data: FixedData,
  path: string,
  form: Readonly<Record<string, string>>,
  member: Member = OWNER,
) => contentOf(await send({ management: fixedManagement(data), member }, path, { formId: FORM_ID, ...form }));

const pathOf = ({ kind, id }: KeyView) => `/${kind === 'access' ? 'access-keys' : 'keys'}/${id}`;

it('the routes accept these methods and fields', () => {
  expect(
    ROUTES.map(({ path, get, post, query, form }) => ({
      ...{ path, methods: [get && 'GET', post && 'POST'].filter(Boolean).join(', ') },
      ...{ query: query?.join(' '), form: form?.join(' ') },
    })),
  ).toMatchSnapshot();
});

it('a whole page is the content in the layout', async () => {
  const site = { stylesheet: '/theme.css', logoUrl: '/logo.svg', productName: 'Acme' };
  const management = fixedManagement({ keys: [secretKey()] });
  expect(wholeOf(await open({ management, site }, '/'))).toMatchSnapshot();
});

describe('the list of keys', () => {
  const keys = [
    secretKey({ lastUsedAt: msBefore(240_000) }),
    publicKey(DISABLED),
    secretKey({ ...EXPIRED, id: 'key_3', name: null, apis: 'all' }),
    rotated(secretKey({ ...ALL_SETTINGS, id: 'key_4', name: 'Till', expiresAt: daysBefore(-5) }), HOUR),
    accessKey(),
  ];
  const usage = { key_1: { accepted: 1_234, refused: 5 }, key_2: { accepted: 7, refused: 0 } };

  it.each([
    ['full', { keys, usage }, '/', OWNER],
    ['of access keys', { keys }, '/access-keys', DEVELOPER],
    ['for a Reader', { keys, next: 'cursor' }, '/', READER],
    [
      'with every filter',
      { keys, next: 'cursor' },
      '/?environment=sandbox&kind=secret&api=other&state=active&text=x&unused=30&sort=name&limit=5&after=here',
      OWNER,
    ],
    [
      'of access keys with every filter',
      { keys },
      '/access-keys?environment=live&state=expired&text=x&unused=7&sort=-used&limit=5',
      OWNER,
    ],
    ['of an account with all APIs', { keys, account: { apis: 'all' } }, '/?api=payments', OWNER],
    ['of a disabled account', { keys, account: { disabled: true } }, '/', OWNER],
    [
      'with six keys that expire soon',
      {
        keys: [1, 2, 3, 4, 5, 6].map((number) =>
          secretKey({ id: `key_${number}`, name: `Key ${number}`, expiresAt: daysBefore(-number) }),
        ),
      },
      '/',
      OWNER,
    ],
    ['after a key was revoked', { keys }, '/?done=revoked&key=key_1', OWNER],
    ['after the search was shortened', { keys }, '/?text=abcd&done=shortened', OWNER],
    ['empty', {}, '/', OWNER],
    ['empty, of access keys', {}, '/access-keys', DEVELOPER],
    ['empty, for a Reader', {}, '/', READER],
    ['empty, of a disabled account', { account: { disabled: true } }, '/', OWNER],
    ['of revoked keys only', { keys: [secretKey(REVOKED)] }, '/', OWNER],
    ['without a match', {}, '/?text=x', OWNER],
    ['after the last page', {}, '/access-keys?after=here', OWNER],
  ] as const)('%s', async (_name, data, address, member) => {
    expect(await pageOf(data, address, member)).toMatchSnapshot();
  });

  it('redirects a search for a complete secret', async () => {
    const secret = `sk_live_${'a'.repeat(60)}`;
    const text = await pageOf({}, `/?text=${secret}&state=active&limit=5`);
    expect(text).toMatchSnapshot();
  });

  it.each(['0', 'x', '10000', '-1'])('refuses the filter unused=%s', async (days) => {
    await expect(pageOf({}, `/?unused=${days}`)).rejects.toMatchObject({
      status: 400,
      title: 'Invalid request',
      message: 'The filter \u201cLast used\u201d must be a number of days from 1 to 9999.',
    });
  });
});

describe('the page of a key', () => {
  const publicKeys = [publicKeyView('kid_1', { lastUsedAt: daysBefore(1), lastUsedFrom: '198.51.100.9' })];
  const two = accessKey({ publicKeys, secrets: [clientSecret(3), clientSecret(4)], requireConfirmation: 'dpop' });

  it.each<[string, KeyView, FixedData?, Member?]>([
    ['a secret key', secretKey()],
    ['a secret key for a Reader', secretKey(), {}, READER],
    ['a key with every setting', secretKey({ ...ALL_SETTINGS, id: 'key_9' })],
    ['a public key', publicKey({ scopes: [] })],
    ['a public key with all scopes set to none', publicKey({ scopes: null, name: null })],
    ['a disabled key', secretKey(DISABLED), { entries: [auditEntry({ after: { disabled: true } })] }],
    ['a disabled key for a Developer', secretKey(DISABLED), {}, DEVELOPER],
    [
      'a revoked key',
      secretKey({ ...REVOKED, secrets: [{ ...clientSecret(1), state: 'ended' }] }),
      { entries: [auditEntry({ action: 'key.revoke' })] },
    ],
    ['an expired key', secretKey(EXPIRED)],
    ['a rotated key', rotated(secretKey(), HOUR)],
    ['a key of a disabled account', accessKey(), { account: { disabled: true } }],
    ['a used key', secretKey({ lastUsedAt: msBefore(240_000) }), { usage: { key_1: { accepted: 30, refused: 4 } } }],
    ['an access key', accessKey()],
    ['an access key with everything', two],
    ['an access key with everything for a Developer', two, {}, DEVELOPER],
    [
      'an access key that requires a bound token',
      accessKey({ requireConfirmation: true, platform: 'shop', channels: ['pc_9'] }),
    ],
    ['an access key that lost scopes', accessKey({ scopes: ['lost', 'payments'], defaultScopes: ['lost'] })],
  ])('%s', async (_name, key, data = {}, member = OWNER) => {
    expect(await pageOf({ keys: [key], ...data }, pathOf(key), member)).toMatchSnapshot();
  });

  it.each([
    'edited',
    'disabled',
    'enabled',
    'grace-ended',
    'secret-deleted',
    'public-key-added',
    'public-key-removed',
    'tokens-revoked',
  ])('after %s', async (done) => {
    const text = await pageOf({ keys: [accessKey()] }, `/access-keys/ack_3?done=${done}`);
    expect(/<p class="status".*<\/p>/.exec(text)?.[0]).toMatchSnapshot();
  });

  it('with the form of a public key that was refused', async () => {
    const refused = new ManagementError('invalid', 'publicKey: expected a public key', 'publicKey');
    expect(
      await answerOf({ keys: [accessKey()], refused }, '/access-keys/ack_3/public-keys', {
        publicKey: '{"kty":"OKP"}',
      }),
    ).toMatchSnapshot();
  });
});

describe('a confirmation page', () => {
  const soon = { expiresAt: daysBefore(-5) };
  const used = { lastUsedAt: daysBefore(1), lastUsedFrom: '198.51.100.9' };
  const two = accessKey({
    secrets: [clientSecret(4), clientSecret(3, used)],
    publicKeys: [publicKeyView('kid_1', used)],
  });

  it.each<[string, string, KeyView, FixedData?]>([
    ['of a secret key', 'rotate/confirm', secretKey(), { usage: { key_1: { accepted: 1, refused: 0 } } }],
    ['of a public key', 'rotate/confirm', publicKey()],
    ['of an access key', 'rotate/confirm', accessKey({ lastUsedAt: msBefore(240_000) })],
    ['of a key that expires soon', 'rotate/confirm', secretKey(soon)],
    ['of a key that expires within an hour', 'rotate/confirm', secretKey({ expiresAt: msBefore(-HOUR) })],
    ['of a disabled key', 'rotate/confirm', secretKey(DISABLED)],
    ['of a rotated key', 'rotate/confirm', rotated(secretKey(), HOUR, used)],
    ['of a rotated access key', 'rotate/confirm', rotated(accessKey(), HOUR)],
    ['of an expired key', 'rotate/confirm', secretKey(EXPIRED)],
    ['of two client secrets', 'rotate/confirm', two],
    ['of a secret key', 'disable/confirm', secretKey()],
    ['of an expired access key', 'disable/confirm', accessKey(EXPIRED)],
    ['of a disabled key', 'enable/confirm', secretKey(DISABLED)],
    ['of an expired key', 'enable/confirm', secretKey({ ...EXPIRED, disabledAt: daysBefore(1) })],
    ['of a disabled account', 'enable/confirm', secretKey(DISABLED), { account: { disabled: true } }],
    [
      'of a key that lost its channel',
      'enable/confirm',
      secretKey({ ...DISABLED, platform: 'shop', channels: ['pc_9'] }),
    ],
    ['of a secret key', 'end-grace/confirm', rotated(secretKey(), HOUR, used)],
    ['of a disabled access key', 'end-grace/confirm', rotated(accessKey(DISABLED), HOUR)],
    ['of a secret key', 'revoke', secretKey()],
    ['of a public key', 'revoke', publicKey()],
    ['of an access key', 'revoke', accessKey()],
    ['of a disabled key without a name', 'revoke', secretKey({ ...DISABLED, name: null })],
    ['of a disabled account', 'revoke', secretKey(), { account: { disabled: true } }],
    ['of an access key', 'secrets/confirm', accessKey()],
    ['of a disabled access key', 'secrets/confirm', accessKey(DISABLED)],
    ['of two client secrets', 'secrets/confirm', two],
    ['of a rotated access key', 'secrets/confirm', rotated(accessKey(), HOUR)],
    ['of an expired access key', 'secrets/confirm', accessKey(EXPIRED)],
    ['of a disabled account', 'secrets/confirm', accessKey(), { account: { disabled: true } }],
    ['of the used client secret', 'secrets/delete/confirm?secret=3333333333333333', two],
    ['of the unused client secret', 'secrets/delete/confirm?secret=4444444444444444', two],
    ['of an active key', 'revoke-tokens/confirm', accessKey()],
    ['of a disabled key', 'revoke-tokens/confirm', accessKey(DISABLED)],
    ['of a disabled account', 'revoke-tokens/confirm', accessKey(), { account: { disabled: true } }],
    ['of a public key', 'public-keys/remove/confirm?kid=kid_1', two],
  ])('%s: %s', async (_name, page, key, data = {}) => {
    expect(await pageOf({ keys: [key], ...data }, `${pathOf(key)}/${page}`)).toMatchSnapshot();
  });

  const NOT_FOUND = {
    ...{ status: 404, title: 'Not found' },
    message: 'This page does not exist, or it belongs to another account.',
  };

  it.each([
    ['end-grace/confirm', accessKey()],
    ['secrets/delete/confirm', two],
    ['secrets/delete/confirm?secret=5555555555555555', two],
    ['secrets/delete/confirm?secret=3333333333333333', rotated(accessKey(), HOUR)],
    ['public-keys/remove/confirm?kid=kid_2', two],
  ])('%s is not found without what it is about', async (page, key) => {
    await expect(pageOf({ keys: [key] }, `${pathOf(key)}/${page}`)).rejects.toMatchObject(NOT_FOUND);
  });

  it.each(['edit', 'revoke', 'rotate/confirm', 'disable/confirm', 'enable/confirm', 'end-grace/confirm'])(
    '%s of a revoked key, and without permission',
    async (page) => {
      const path = `/access-keys/ack_3/${page}`;
      expect(await pageOf({ keys: [accessKey(REVOKED)] }, path)).toMatchSnapshot('revoked');
      expect(await pageOf({ keys: [accessKey()] }, path, DEVELOPER)).toMatchSnapshot('without permission');
    },
  );

  it('to revoke a key is shown again if the name does not match', async () => {
    expect(
      await answerOf({ keys: [secretKey()] }, '/keys/key_1/revoke', { confirm: 'order <service>' }),
    ).toMatchSnapshot();
  });
});

describe('the page with a secret', () => {
  const created = (
    data: FixedData,
    path: string,
    form: Readonly<Record<string, string>> = {},
    member: Member = OWNER,
  ) => answerOf({ secret: 'the_secret', ...data }, path, { version: '3', ...form }, member);
  const newApiKey = { kind: 'secret', 'apis.of': 'all', 'scopes.of': 'all', 'channels.of': 'all', version: '' };
  const create = (key: KeyView, member: Member = OWNER, secret: string | undefined = 'the_secret') => {
    const { version: _, ...form } = newApiKey;
    return answerOf({ keys: [key], ...(secret === '' ? { secret: undefined } : { secret }) }, '/keys', form, member);
  };
  const createAccess = (key: KeyView, secret?: string) =>
    answerOf({ keys: [key], secret }, '/access-keys', {
      scopes: 'payments',
      'defaultScopes.of': 'all',
      'channels.of': 'all',
    });
  const ended = (number: number) => clientSecret(number, { state: 'ended', acceptedUntil: msBefore(60_000) });

  it.each<[string, () => Promise<string>]>([
    ['of a new secret key', () => create(secretKey())],
    ['of a new key with every setting', () => create(secretKey(ALL_SETTINGS))],
    ['of a new public key', () => create(publicKey())],
    ['of a new access key', () => createAccess(accessKey(), 'the_secret')],
    ['of a rotated key', () => created({ keys: [rotated(secretKey(), 0)] }, '/keys/key_1/rotate', { grace: '3600' })],
    [
      'of a rotated and disabled key',
      () => created({ keys: [rotated(secretKey(DISABLED), 0)] }, '/keys/key_1/rotate', { grace: '0' }),
    ],
    [
      'of a key that was rotated twice',
      () =>
        created(
          { keys: [accessKey({ secrets: [clientSecret(3), ended(4), ended(5)] })] },
          '/access-keys/ack_3/rotate',
          { grace: '0' },
        ),
    ],
    [
      'of a rotated key whose old secret has ended',
      () =>
        created({ keys: [accessKey({ secrets: [clientSecret(3), ended(4)] })] }, '/access-keys/ack_3/rotate', {
          grace: '0',
        }),
    ],
    [
      'of a second client secret',
      () =>
        created({ keys: [accessKey({ secrets: [clientSecret(3), clientSecret(4)] })] }, '/access-keys/ack_3/secrets'),
    ],
    [
      'of a second client secret of a disabled key',
      () =>
        created(
          { keys: [accessKey({ ...DISABLED, secrets: [clientSecret(3), clientSecret(4)] })] },
          '/access-keys/ack_3/secrets',
        ),
    ],
    ['of a form that was sent again', () => create(secretKey(), OWNER, '')],
    ['of a form of a Developer that was sent again', () => create(secretKey({ name: null }), DEVELOPER, '')],
    ['of a form for a public key that was sent again', () => create(publicKey(), OWNER, '')],
    ['of a form for a revoked key that was sent again', () => create(secretKey(REVOKED), OWNER, '')],
    [
      'of a form for a client secret that was sent again',
      () => created({ keys: [accessKey()], secret: undefined }, '/access-keys/ack_3/secrets'),
    ],
    [
      'of a rotation that was sent again',
      () => created({ keys: [accessKey(DISABLED)], secret: undefined }, '/access-keys/ack_3/rotate', { grace: '0' }),
    ],
  ])('%s', async (_name, answer) => {
    expect(await answer()).toMatchSnapshot();
  });
});

describe('a form asks management', () => {
  /** The calls of a form, by a member with and without the permission. */
  async function callsOf(path: string, form: Readonly<Record<string, string>>, member: Member) {
    const calls: unknown[] = [];
    const forbidden = new ManagementError('forbidden', 'this operation requires the Owner permission');
    const data = { keys: [secretKey(), accessKey()], ...(member === READER && { refused: forbidden }) };
    await send({ management: recorded(fixedManagement(data), calls), member }, path, form);
    return calls;
  }

  const version = { version: '3', formId: FORM_ID };
  const settings = { 'channels.of': 'some', channels: 'pc_1', name: 'Desk', limits: '5/1m', metadata: 'a=b' };
  const more = { platform: 'shop', allowedAddresses: '203.0.113.7', expiresAt: '2030-12-31' };
  const apis = { 'apis.of': 'some', apis: 'disputes', 'scopes.of': 'some', scopes: 'disputes' };
  const scopes = { scopes: 'disputes', 'defaultScopes.of': 'some', defaultScopes: 'disputes' };

  it.each<[string, Readonly<Record<string, string>>]>([
    ['/keys', { formId: FORM_ID, kind: 'secret', environment: 'sandbox', ...settings, ...more, ...apis }],
    ['/keys', { formId: FORM_ID, kind: 'public', apis: 'disputes', 'channels.of': 'all' }],
    ['/access-keys', { formId: FORM_ID, ...settings, ...more, ...scopes }],
    ['/keys/key_1/edit', { version: '3', ...settings, ...more, ...apis }],
    ['/access-keys/ack_3/edit', { version: '3', ...settings, ...more, ...scopes }],
    ['/keys/key_1/disable', version],
    ['/access-keys/ack_3/enable', version],
    ['/keys/key_1/rotate', { ...version, grace: '3600' }],
    ['/access-keys/ack_3/end-grace', version],
    ['/keys/key_1/revoke', { formId: FORM_ID, confirm: 'Order service' }],
    ['/access-keys/ack_3/secrets', version],
    ['/access-keys/ack_3/secrets/delete', { ...version, secret: '3'.repeat(16) }],
    ['/access-keys/ack_3/revoke-tokens', version],
    ['/access-keys/ack_3/public-keys', { formId: FORM_ID, publicKey: 'PEM' }],
    ['/access-keys/ack_3/public-keys/remove', { ...version, kid: 'kid_1' }],
    ...['none', 'any', 'dpop', 'mtls'].map((confirmation): [string, Readonly<Record<string, string>>] => [
      '/access-keys/ack_3/require-confirmation',
      { ...version, confirmation },
    ]),
  ])('%s: %j', async (path, form) => {
    expect(await callsOf(path, form, OWNER)).toMatchSnapshot('an Owner');
    expect(await callsOf(path, {}, READER)).toMatchSnapshot('an empty form of a Reader');
  });
});

/** Notes each call of the services for keys. */
function recorded(management: Management, calls: unknown[]): Management {
  const service = <T extends object>(name: string, target: T): T =>
    new Proxy(target, {
      get: (_target, method, receiver) => {
        const operation: unknown = Reflect.get(target, method, receiver);
        if (typeof operation !== 'function') return operation;
        return (member: Member, ...args: readonly unknown[]) => {
          calls.push([`${name}.${String(method)}`, member.id, ...args]);
          return operation(member, ...args);
        };
      },
    });
  const { keys, accessKeys } = management;
  return { ...management, keys: service('keys', keys), accessKeys: service('accessKeys', accessKeys) };
}

describe('a form that was accepted leads back', () => {
  const forms: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['disable', {}],
    ['enable', {}],
    ['end-grace', {}],
    ['secrets/delete', { secret: '3'.repeat(16) }],
    ['revoke-tokens', {}],
    ['public-keys/remove', { kid: 'kid_1' }],
    ['require-confirmation', { confirmation: 'dpop' }],
  ];

  it('to the page of the key, or to the list', async () => {
    const data = { keys: [secretKey(), accessKey()] };
    const answers = forms.map(([path, form]) =>
      answerOf(data, `/access-keys/ack_3/${path}`, { version: '3', ...form }),
    );
    const others = [
      answerOf(data, '/access-keys/ack_3/public-keys', { publicKey: 'x' }),
      answerOf(data, '/access-keys/ack_3/revoke', { confirm: ' Batch ' }),
      answerOf(data, '/keys/key_1/revoke', { confirm: 'Order  service' }),
      answerOf(data, '/keys/key_1/disable', { version: '3' }),
    ];
    expect(await Promise.all([...answers, ...others])).toMatchSnapshot();
  });
});

describe('an error page', () => {
  const errors = [
    ['invalid', new ManagementError('invalid', 'limit: expected a whole number', 'limit')],
    ['invalid, hidden field', new ManagementError('invalid', 'secret: expected another secret', 'secret')],
    ['forbidden', new ManagementError('forbidden', 'this operation requires the Owner permission')],
    ['version_conflict', new ManagementError('version_conflict', 'the key has version 4')],
    ['revoked', new ManagementError('revoked', 'the API key is revoked; create a new key')],
    ['idempotency_conflict', new ManagementError('idempotency_conflict', 'the idempotency key was used')],
  ] as const;

  it.each(errors)('%s', async (_name, refused) => {
    const data = { keys: [accessKey()], refused };
    expect(await answerOf(data, '/access-keys/ack_3/disable', { version: '3' })).toMatchSnapshot();
  });

  it('without a key leads back to the list', async () => {
    expect(await pageOf({}, '/keys/new', READER)).toMatchSnapshot();
    expect(await pageOf({}, '/access-keys/new', READER)).toMatchSnapshot();
  });

  it.each([
    ['/access-keys/ack_3/disable', {}, 'This form is incomplete. Go back, reload the page and try again.'],
    [
      '/access-keys/ack_3/disable',
      { version: '1', formId: 'x' },
      'This form is incomplete. Go back, reload the page and try again.',
    ],
    [
      '/access-keys/ack_3/rotate',
      { version: '1' },
      'No valid grace period was chosen. Go back and choose when the current secret or public key should stop working.',
    ],
    [
      '/access-keys/ack_3/require-confirmation',
      { version: '1' },
      'No valid token binding was chosen. Go back and choose one.',
    ],
    ['/keys', { kind: 'access' }, 'Choose whether to create a secret key or a public key.'],
    ['/access-keys', { formId: '' }, 'This form is incomplete. Go back, reload the page and try again.'],
  ])('of an incomplete form to %s: %j', async (path, form, message) => {
    await expect(answerOf({ keys: [accessKey()] }, path, form)).rejects.toMatchObject({
      status: 400,
      title: 'Invalid request',
      message,
    });
  });
});

describe('the audit page', () => {
  const keys = [secretKey(), accessKey()];
  const entries = [
    auditEntry({ before: { name: 'Till' }, after: { name: 'Order service' } }),
    auditEntry({ action: 'access_key.rotate', subject: 'ack_3', role: 'developer', origin: null }),
    auditEntry({ action: 'key.revoke', subject: 'key_9' }),
    auditEntry({ action: 'account.put', subject: 'acme', actor: 'operator', role: 'operator' }),
    auditEntry({ action: 'key.list', outcome: 'refused', subject: null, after: { refused: 'forbidden' } }),
  ];

  it.each<[string, FixedData, string]>([
    ['with entries', { keys, entries, next: 'cursor' }, '/audit'],
    [
      'with every filter',
      { keys, entries, next: 'cursor' },
      '/audit?from=2027-01-01&to=2027-01-31&actor=kim&action=key.edit&subject=key_1&limit=5&after=here',
    ],
    ['with an unknown action', { keys, entries }, '/audit?action=other.action'],
    ['without entries', {}, '/audit'],
    ['without a match', {}, '/audit?action=key.edit'],
    ['without a match of a member and a day', {}, '/audit?actor=kim&from=2027-01-01'],
    ['without a match of a day', {}, '/audit?to=2027-01-01'],
    ['without a match of a key', {}, '/audit?subject=x'],
    ['after the last page', {}, '/audit?after=here'],
    ['with a key that was found', { keys: [secretKey()] }, '/audit?subject=order'],
    ['with two keys that were found', { keys }, '/audit?subject=order'],
    [
      'with too many keys',
      { keys: Array.from({ length: 21 }, (_, number) => secretKey({ id: `key_${number}` })) },
      '/audit?subject=order',
    ],
    ['after the search was shortened', { keys, entries }, '/audit?subject=abcd&done=shortened'],
  ])('%s', async (_name, data, address) => {
    expect(await pageOf(data, address)).toMatchSnapshot();
  });

  it('as CSV', async () => {
    const csv = await open(
      { management: fixedManagement({ keys, entries }), member: { ...OWNER, account: 'a:b c' } },
      '/audit.csv',
    );
    expect(csv.headers).toEqual({
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit-a-b-c-2027-01-15.csv"',
    });
    expect(await textOf(csv)).toMatchSnapshot();
  });
});

async function textOf({ body }: PageResponse): Promise<string> {
  let text = '';
  for await (const part of body) text += part;
  return linesOf(text);
}
