import { describe, expect, it } from '@jest/globals';
import { ACTION_NAMES } from '../../../lib/dashboard/components/audit-action-labels.js';
import { auditEntries } from '../../../lib/dashboard/components/audit-entries.js';
import {
  actionForm,
  actionLink,
  areaContent,
  dateField,
  hidden,
  keySearchField,
  moreFilters,
  searchField,
  select,
} from '../../../lib/dashboard/components/controls.js';
import { copyField, copyText } from '../../../lib/dashboard/components/copy-field.js';
import { allRevoked, firstRun, noKeys, nothingFound } from '../../../lib/dashboard/components/empty-key-list.js';
import { errorPage } from '../../../lib/dashboard/components/error-page.js';
import { flashMessage, listFlashMessage } from '../../../lib/dashboard/components/flash-message.js';
import { html } from '../../../lib/dashboard/components/html.js';
import { keyActionsMenu } from '../../../lib/dashboard/components/key-actions-menu.js';
import {
  fullList,
  KINDS,
  refusedNote,
  refusedRequests,
  sandboxBadge,
  shortList,
  stateBadge,
  TOKEN_BINDINGS,
} from '../../../lib/dashboard/components/key-labels.js';
import { keyStateBanner } from '../../../lib/dashboard/components/key-state-banner.js';
import { keyTable } from '../../../lib/dashboard/components/key-table.js';
import { bareLayout, layout } from '../../../lib/dashboard/components/layout.js';
import { publicKeysSection } from '../../../lib/dashboard/components/public-keys-section.js';
import { lastUse, lastUseOf, recentUse } from '../../../lib/dashboard/components/recent-use.js';
import { secretsSection } from '../../../lib/dashboard/components/secrets-section.js';
import { usageSection } from '../../../lib/dashboard/components/usage-section.js';
import { HttpError, notFound } from '../../../lib/dashboard/http/http-error.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';
import { ACCESS_KEYS, API_KEYS } from '../../../lib/dashboard/key-type.js';
import { ManagementError } from '../../../lib/management/management-error.js';
import { START } from '../../support/manual-clock.js';
import {
  ACCOUNT,
  ALL_SETTINGS,
  accessKey,
  auditEntry,
  clientSecret,
  daysBefore,
  fixedManagement,
  msBefore,
  publicKey,
  publicKeyView,
  rotated,
  secretKey,
  usageOf,
} from '../fixed-keys.js';
import { BASE, contextOf, DEVELOPER, linesOf, READER, settingsOf, wholeOf } from '../whole-page.js';

type Markup = ReturnType<typeof html>;

const management = fixedManagement();
const owner = contextOf({ management });
const developer = contextOf({ management, member: DEVELOPER });
const reader = contextOf({ management, member: READER });
const withQuery = (query: string) => ({
  ...owner,
  fields: new Fields(new URLSearchParams(query), ['done', 'key']),
});

/** The lines of several pieces, each below its name. */
function named(pieces: Readonly<Record<string, Markup | string | undefined>>): string {
  return Object.entries(pieces)
    .map(([name, piece]) => `# ${name}\n${linesOf(typeof piece === 'object' ? piece.text : String(piece))}`)
    .join('\n');
}

const EXPIRED = { state: 'expired', expiresAt: daysBefore(2) } as const;
const DISABLED = { state: 'disabled', disabledAt: daysBefore(3) } as const;
const REVOKED = { state: 'revoked', revokedAt: daysBefore(4) } as const;

describe('entries of the audit log', () => {
  const links = {
    subject: (id: string) => html`<a href="/subject">${id}</a>`,
    actor: (id: string) => `/actor?${id}`,
  };

  it('name each action, done and refused', () => {
    const entries = ACTION_NAMES.flatMap((action) => [
      auditEntry({ action }),
      auditEntry({ action, outcome: 'refused', after: { refused: 'forbidden' } }),
    ]);
    expect(linesOf(auditEntries(entries, START, {}).text)).toMatchSnapshot();
  });

  it('link to their actor and subject', () => {
    const refused = { outcome: 'refused', origin: null } as const;
    const entries = [
      auditEntry({ role: null, origin: null }),
      auditEntry({ action: 'key.import', subject: null }),
      auditEntry({ ...refused, action: 'key.list', subject: null, after: { refused: 'forbidden', count: 300 } }),
      auditEntry({ ...refused, after: { refused: 'not_found' } }),
      auditEntry({ ...refused, after: { refused: 'version_conflict' } }),
      auditEntry({ ...refused, after: { refused: 'revoked' } }),
      auditEntry({ ...refused, after: { refused: 'other_reason' } }),
      auditEntry({ ...refused, after: null }),
      auditEntry({
        ...refused,
        action: 'sign_in',
        actor: 'unknown',
        role: null,
        subject: null,
        after: { refused: 'bad_link' },
      }),
      auditEntry({ action: 'unknown.action' }),
      auditEntry({ ...refused, action: 'unknown.action', subject: null }),
    ];
    expect(linesOf(auditEntries(entries, START, { links }).text)).toMatchSnapshot();
  });

  it.each(['secret', 'public', 'access', undefined] as const)('show the changes of a key of the kind %s', (kind) => {
    const old = {
      ...{ name: 'Till', apis: ['payments'], scopes: ['payments'], defaultScopes: ['payments'], channels: 'all' },
      ...{ expiresAt: '2027-02-01T00:00:00.000Z', tokensNotBefore: '2027-01-01T12:30:00.000Z', platform: 'shop' },
      ...{ allowedAddresses: ['203.0.113.7'], limits: [{ requests: 100, seconds: 60 }], metadata: { team: 'a' } },
      ...{ requireConfirmation: null, disabled: false },
    };
    const changed = {
      ...{ name: null, apis: 'all', scopes: null, defaultScopes: null, channels: [], expiresAt: null },
      ...{ tokensNotBefore: null, platform: null, allowedAddresses: null, limits: null, metadata: null },
      ...{ requireConfirmation: true, disabled: true },
    };
    const entries = [
      auditEntry({ before: old, after: changed }),
      auditEntry({ before: changed, after: old }),
      auditEntry({ before: { name: 'Till', channels: 'all' }, after: { name: 'Desk', channels: ['pc_1', 'pc_2'] } }),
    ];
    expect(linesOf(auditEntries(entries, START, kind === undefined ? {} : { kind }).text)).toMatchSnapshot();
  });

  it('show other values, and leave out what says nothing', () => {
    const entries = [
      auditEntry({
        action: 'key.create',
        after: { name: null, disabled: false, apis: [], revokedAt: '2027-01-02T03:04:00Z' },
      }),
      auditEntry({
        action: 'account.put',
        after: { platforms: ['shop'], publicKeys: ['pk_1'], list: [{ a: 1 }, 'b'] },
      }),
      auditEntry({ after: { metadata: { text: 'x'.repeat(300) } } }),
      auditEntry({ after: { metadata: { text: 'x'.repeat(189) } } }),
      auditEntry({ after: { requireConfirmation: 'dpop', expiresAt: '2027-02-01T10:00:00.000Z' } }),
      auditEntry({ before: { requireConfirmation: 'mtls' }, after: { requireConfirmation: 'other' } }),
      auditEntry({ after: { one: 1, two: 2, three: 3 } }),
      auditEntry({ after: { one: 1, two: 2, three: 3, four: true } }),
      auditEntry({ before: { disabled: false }, after: { disabled: true } }),
      auditEntry({ action: 'access_key.edit', before: { disabled: true }, after: { disabled: false } }),
      auditEntry({ after: {} }),
      auditEntry({ after: 'text' }),
    ];
    expect(linesOf(auditEntries(entries, START, {}).text)).toMatchSnapshot();
  });

  it('show the changes of secrets', () => {
    const secret = (hint: string, state = 'current', acceptedUntil: string | null = null) => ({
      hint,
      state,
      acceptedUntil,
    });
    const until = '2027-01-20T10:00:00.000Z';
    const changes = [
      [null, [secret('sk_live_...1')]],
      [null, [secret('pk_live_...1')]],
      [[secret('a')], [secret('b'), secret('a', 'grace_period', until)]],
      [[secret('a', 'grace_period', until)], [secret('a', 'grace_period', until)]],
      [[secret('a', 'grace_period', until)], [secret('a', 'ended', until)]],
      [[secret('a', 'ended')], [secret('a', 'ended')]],
      [[secret('a'), secret('b'), secret('c', 'ended')], [secret('b')]],
      [[secret('pk_a')], []],
      ['no list', [null, { hint: 1 }]],
    ];
    const entries = changes.map(([old, secrets]) => auditEntry({ before: { secrets: old }, after: { secrets } }));
    expect(linesOf(auditEntries(entries, START, {}).text)).toMatchSnapshot();
  });
});

describe('controls', () => {
  it('of forms and filters', () => {
    const options = [
      { value: '', title: 'Any' },
      { value: 'a', title: 'The <a>' },
    ];
    const parts = { action: '/act', hidden: [hidden('one', 1), hidden('two', '2')], button: 'Act' };
    const link = { href: '/go', title: 'Go' };
    expect(
      named({
        'select without a value': select('kind', 'Kind', options, undefined),
        'select with a value': select('kind', 'Kind', options, 'a'),
        'search field': searchField('actor', 'Member', undefined),
        'search field with a value': searchField('actor', 'Member', 'x"y', 'Full ID'),
        'key search field': keySearchField('text', 'Search', undefined),
        'key search field with a value': keySearchField('text', 'Search', 'till'),
        'date field': dateField('from', 'From', undefined),
        'date field with a value': dateField('from', 'From', '2027-01-01'),
        'more filters': moreFilters(false, html`<p>fields</p>`),
        'more filters, set': moreFilters(true, html`<p>fields</p>`),
        'form with one button': actionForm(parts),
        'form with all parts': actionForm({ ...parts, tone: 'danger', content: html`<p>text</p>`, missing: 'Owner' }),
        'link to an action': actionLink({ ...link, missing: undefined }),
        'action that is not allowed': actionLink({ ...link, missing: 'Owner' }),
        'content of a text area': areaContent('\na <b>'),
      }),
    ).toMatchSnapshot();
  });

  it('with a copy button', () => {
    expect(
      named({
        field: copyField('text', 'Public key', 'x'.repeat(60)),
        'field with a secret': copyField('text', 'Secret key', 'x'.repeat(61), true, html` <a href="/file">File</a>`),
        text: copyText('key-id', 'Key ID', 'key_1'),
      }),
    ).toMatchSnapshot();
  });
});

describe('labels', () => {
  it('of kinds, states, lists and notes', () => {
    const states = ['active', 'disabled', 'expired', 'revoked'] as const;
    const of = <T extends string>(names: readonly T[], label: (name: T) => Markup | string | undefined) =>
      Object.fromEntries(names.map((name) => [name, label(name)]));
    expect(KINDS).toMatchSnapshot('kinds');
    expect(TOKEN_BINDINGS).toMatchSnapshot('token bindings');
    expect(named(of(states, (state) => stateBadge({ state })))).toMatchSnapshot('states');
    expect(named(of(states, (state) => refusedNote(secretKey({ state }))))).toMatchSnapshot('notes');
    expect(
      named({
        'expired and disabled': refusedNote(secretKey({ ...EXPIRED, disabledAt: daysBefore(1) })),
        sandbox: sandboxBadge({ environment: 'sandbox' }),
        live: sandboxBadge({ environment: 'live' }),
        'requests of a secret key': refusedRequests(secretKey()),
        'requests of an access key': refusedRequests(accessKey()),
        'short list of all': shortList('all'),
        'short list of none': shortList([]),
        'short list of two': shortList(['a', 'b']),
        'short list of four': shortList(['a', 'b', 'c', 'd']),
        'full list of four': fullList(['a', 'b', 'c', 'd']),
        'full list with lost names': fullList(['a', 'b', 'c'], ['b']),
      }),
    ).toMatchSnapshot('lists');
  });
});

describe('an empty list of keys', () => {
  it.each([API_KEYS, ACCESS_KEYS])('of the type $name', (keyType) => {
    expect(
      named({
        'no match': nothingFound(keyType, {}, BASE),
        'no match of a text': nothingFound(keyType, { text: 'x' }, BASE),
        'no match of a state': nothingFound(keyType, { state: 'revoked' }, BASE),
        'all revoked': allRevoked(keyType, '/path'),
        'no keys, without permission': noKeys(reader, keyType),
        'no keys, account disabled': noKeys(developer, keyType),
        'first run': firstRun(owner, keyType),
      }),
    ).toMatchSnapshot();
  });
});

describe('an error page', () => {
  it.each([
    [401, undefined],
    [401, '/sign-in'],
    [404, '/sign-in'],
  ])('of status %i, with the sign-in page %s', (status, signInUrl) => {
    const error = status === 404 ? notFound() : new HttpError(status, 'Not signed in', 'Sign in.', { 'X-More': '1' });
    const site = settingsOf(management, { signInUrl, stylesheet: '/theme.css', productName: 'Acme & Co' });
    expect(wholeOf(errorPage(site, BASE, error))).toMatchSnapshot();
  });
});

describe('a flash message', () => {
  const done = [
    ...['revoked', 'edited', 'disabled', 'enabled', 'grace-ended', 'secret-deleted', 'public-key-added'],
    ...['public-key-removed', 'tokens-revoked', 'other'],
  ];

  it('for each action, with and without the name of the key', () => {
    const messages = done.map((one) => [
      [one, flashMessage(withQuery(`done=${one}`), undefined)],
      [
        `${one} of a key`,
        flashMessage(withQuery(`done=${one}`), 'Till', { secret: 'client secret', link: html`<a href="/x">x</a>` }),
      ],
    ]);
    expect(named(Object.fromEntries(messages.flat()))).toMatchSnapshot();
    expect(flashMessage(withQuery(''), 'Till')).toBeUndefined();
  });

  it('on a list of keys links to the revoked key', async () => {
    const site = settingsOf(fixedManagement({ keys: [secretKey()] }));
    const at = (query: string) => listFlashMessage({ ...withQuery(query), site }, API_KEYS);
    expect(
      named({
        none: await at('key=key_1'),
        'known key': await at('done=revoked&key=key_1'),
        'other key': await at('done=revoked&key=key_9'),
        'no key': await at('done=revoked'),
        'other action': await at('done=edited&key=key_1'),
      }),
    ).toMatchSnapshot();
  });
});

describe('the layout', () => {
  it.each(['keys', 'accessKeys', 'audit'] as const)('of the tab %s', (tab) => {
    const main = html`<h1>Title</h1>`;
    expect(linesOf(layout(owner, { title: 'A <title>', tab, main }).text)).toMatchSnapshot();
  });

  it('with all settings of a site, and with none', () => {
    const content = { title: 'Title', tab: 'keys', main: html`<h1>Title</h1>` } as const;
    const site = { stylesheet: '/theme.css', logoUrl: '/logo.svg', productName: 'Acme & Co' };
    expect(linesOf(layout(contextOf({ management, site, member: READER }), content).text)).toMatchSnapshot('all');
    const plain = contextOf({ management, site: { signOutUrl: undefined }, member: DEVELOPER });
    expect(linesOf(layout(plain, content).text)).toMatchSnapshot('none');
  });

  it('without navigation', () => {
    const content = { title: 'Title', product: 'Acme', base: BASE, stylesheet: undefined, main: html`<h1>Title</h1>` };
    expect(linesOf(bareLayout(content).text)).toMatchSnapshot('none');
    const all = { ...content, stylesheet: '/theme.css', head: html`<meta name="a" content="b">` };
    expect(linesOf(bareLayout(all).text)).toMatchSnapshot('all');
  });
});

describe('the menu of a key', () => {
  const menuOf = (key: ReturnType<typeof secretKey>, context = owner, isDisabled = false) =>
    linesOf(keyActionsMenu(context, key.kind === 'access' ? ACCESS_KEYS : API_KEYS, key, isDisabled).text);

  it.each([
    ['an active secret key', secretKey()],
    ['a disabled public key', publicKey(DISABLED)],
    ['an active access key', accessKey()],
    ['an expired access key', accessKey(EXPIRED)],
    ['an access key with two client secrets', accessKey({ secrets: [clientSecret(3), clientSecret(4)] })],
    ['an access key without a client secret', accessKey({ secrets: [] })],
    ['a rotated access key', rotated(accessKey(), 3_600_000)],
  ])('%s', (_name, key) => {
    expect(menuOf(key)).toMatchSnapshot();
  });

  it('for a member without permission, and of a disabled account', () => {
    expect(menuOf(accessKey(), developer)).toMatchSnapshot('a Developer');
    expect(menuOf(accessKey(), reader)).toMatchSnapshot('a Reader');
    expect(menuOf(accessKey(), owner, true)).toMatchSnapshot('a disabled account');
  });
});

describe('the banner of a key', () => {
  const disabling = auditEntry({ actor: 'ann', after: { disabled: true } });
  const revoking = auditEntry({ actor: 'bob', action: 'key.revoke' });
  const others = [
    auditEntry({ actor: 'eve', outcome: 'refused', after: { disabled: true } }),
    auditEntry({ actor: 'eve', outcome: 'refused', action: 'key.revoke' }),
    auditEntry({ actor: 'eve', after: { disabled: false } }),
    auditEntry({ actor: 'eve', action: 'account.put', after: { disabled: true } }),
    auditEntry({ actor: 'eve' }),
  ];

  it.each([
    ['active', secretKey()],
    ['disabled', secretKey(DISABLED)],
    ['revoked', secretKey(REVOKED)],
    ['expired', secretKey(EXPIRED)],
    ['expired and disabled', secretKey({ ...EXPIRED, disabledAt: daysBefore(5) })],
    ['expiring soon', secretKey({ expiresAt: daysBefore(-13) })],
    ['expiring at midnight', secretKey({ expiresAt: new Date('2027-01-20T00:00:00Z') })],
    ['expiring later', secretKey({ expiresAt: daysBefore(-14) })],
    ['without its channel', secretKey({ platform: 'shop', channels: ['pc_9'] })],
    ['rotated', rotated(secretKey(), 3_600_000)],
    ['rotated, and expiring soon', rotated(accessKey({ expiresAt: daysBefore(-7) }), 3_600_000)],
  ])('that is %s', (_name, key) => {
    const keyType = key.kind === 'access' ? ACCESS_KEYS : API_KEYS;
    const entries = [...others, disabling, revoking];
    expect(
      named({
        Owner: keyStateBanner(owner, keyType, key, { account: ACCOUNT, entries }),
        Developer: keyStateBanner(developer, keyType, key, { account: ACCOUNT, entries: others }),
      }),
    ).toMatchSnapshot();
  });
});

describe('the table of keys', () => {
  const options = {
    ...{ base: BASE, now: START, linkTo: (order: string) => `/list?sort=${order}` },
    usage: new Map([
      ['key_1', { accepted: 12_345, refused: 0 }],
      ['key_2', { accepted: 1, refused: 1_234 }],
      ['key_4', { accepted: 0, refused: 2 }],
      ['key_5', { accepted: 6_172, refused: 0 }],
    ]),
  };

  it('of API keys in each state', () => {
    const keys = [
      secretKey({ lastUsedAt: msBefore(240_000) }),
      publicKey(DISABLED),
      rotated(secretKey({ ...ALL_SETTINGS, id: 'key_4', name: null }), 3_600_000),
      rotated(secretKey({ ...EXPIRED, id: 'key_5', apis: 'all' }), 3_600_000),
      secretKey({ ...REVOKED, id: 'key_6', apis: [], expiresAt: daysBefore(-5) }),
    ];
    expect(linesOf(keyTable(API_KEYS, keys, { ...options, order: '-created' }).text)).toMatchSnapshot();
  });

  it('of access keys', () => {
    const keys = [accessKey(), accessKey({ id: 'ack_4', environment: 'sandbox', scopes: ['a', 'b', 'c'] })];
    expect(
      linesOf(keyTable(ACCESS_KEYS, keys, { ...options, usage: new Map(), order: 'name' }).text),
    ).toMatchSnapshot();
  });

  it.each(['created', '-created', 'name', '-name', 'used', '-used'])('in the order %s', (order) => {
    const { text } = keyTable(API_KEYS, [], { ...options, order });
    expect(linesOf(text)).toMatchSnapshot();
  });
});

describe('the secrets of an access key', () => {
  it('cannot be added to a revoked key', () => {
    const secrets = [clientSecret(1, { state: 'ended' })];
    const linkOf = (more: object) => secretsSection(owner, ACCESS_KEYS, accessKey({ secrets, ...more }), false).text;
    expect([{}, REVOKED].map((more) => linkOf(more).includes('/secrets/confirm'))).toEqual([true, false]);
  });
});

it('an access key without secrets authenticates with a public key, unless it is revoked', () => {
  const textOf = (more: object) => secretsSection(owner, ACCESS_KEYS, accessKey({ secrets: [], ...more }), false).text;
  expect(textOf({})).toContain('This key has no client secrets. The client authenticates with a public key.</p>');
  expect(textOf(REVOKED)).toContain('This key has no client secrets.</p>');
});

describe('the public keys of an access key', () => {
  const used = publicKeyView('kid_2', { type: 'P-256', lastUsedAt: daysBefore(1), lastUsedFrom: '198.51.100.9' });
  const withKeys = accessKey({ publicKeys: [publicKeyView('kid_1'), used], requireConfirmation: true });

  it.each([
    ['none', accessKey(), owner, false],
    ['two', withKeys, owner, false],
    ['two, for a Developer', withKeys, developer, false],
    ['the last one without a client secret', accessKey({ publicKeys: [used], secrets: [] }), owner, false],
    [
      'one, on an expired key',
      accessKey({ ...EXPIRED, publicKeys: [used], requireConfirmation: 'dpop' }),
      owner,
      false,
    ],
    ['one, on a revoked key', accessKey({ ...REVOKED, publicKeys: [used] }), owner, false],
    ['none, on a revoked key', accessKey(REVOKED), owner, false],
    ['one, on a disabled account', accessKey({ publicKeys: [used], requireConfirmation: 'mtls' }), owner, true],
  ] as const)('%s', (_name, key, context, isDisabled) => {
    expect(named({ section: publicKeysSection(context, key, isDisabled) })).toMatchSnapshot();
  });

  it('each of two can be removed, also without a client secret', () => {
    const key = accessKey({ publicKeys: withKeys.publicKeys, secrets: [] });
    const text = publicKeysSection(owner, key, false)?.text;
    const links = [...String(text).matchAll(/public-keys\/remove\/confirm\?kid=(\w+)/g)].map(([, kid]) => kid);
    expect(links).toEqual(['kid_1', 'kid_2']);
  });

  it('with the form that was refused', () => {
    const error = new ManagementError('invalid', 'publicKey: expected a public key', 'publicKey');
    const refused = { error, formId: undefined, text: '{"kty":"OKP","x":"<x>"}' };
    expect(named({ section: publicKeysSection(owner, accessKey(), false, refused) })).toMatchSnapshot();
  });
});

describe('the last use', () => {
  const uses = {
    never: { lastUsedAt: null, lastUsedFrom: null },
    once: { lastUsedAt: daysBefore(3), lastUsedFrom: null },
    'with its place': { lastUsedAt: daysBefore(3), lastUsedFrom: '203.0.113.7' },
  };

  it.each(Object.entries(uses))('%s', (_name, use) => {
    expect(
      named({ panel: lastUse(use, START), sentence: lastUseOf(html`The <b>key</b>`, use, START) }),
    ).toMatchSnapshot();
  });

  it.each([undefined, 0, 1, 1_234])('of a key with %s requests', async (accepted) => {
    const usage = accepted === undefined ? {} : { key_1: { accepted, refused: 5 } };
    const context = contextOf({ management: fixedManagement({ usage }) });
    expect(
      named({
        used: await recentUse(context, secretKey({ lastUsedAt: msBefore(240_000) })),
        never: await recentUse(context, secretKey()),
      }),
    ).toMatchSnapshot();
  });
});

describe('the secrets of a key', () => {
  const MINUTE = 60_000;
  const sectionOf = (key: ReturnType<typeof secretKey>, context = owner, isDisabled = false) =>
    linesOf(secretsSection(context, key.kind === 'access' ? ACCESS_KEYS : API_KEYS, key, isDisabled).text);
  const ended = clientSecret(5, { state: 'ended', acceptedUntil: daysBefore(5), lastUsedAt: daysBefore(6) });

  it.each([
    ['a secret key', secretKey()],
    ['a disabled public key', publicKey(DISABLED)],
    ['a revoked key', secretKey({ ...REVOKED, secrets: [ended] })],
    ['an access key', accessKey()],
    [
      'a disabled access key with two client secrets',
      accessKey({ ...DISABLED, secrets: [clientSecret(3), clientSecret(4)] }),
    ],
    ['an access key with a public key', accessKey({ publicKeys: [publicKeyView('kid_1')] })],
    ['an access key with an ended client secret', accessKey({ secrets: [clientSecret(3), ended] })],
    ['an access key without client secrets', accessKey({ secrets: [] })],
    ['a revoked access key', accessKey({ ...REVOKED, secrets: [clientSecret(3)] })],
    ['an expired access key', accessKey({ ...EXPIRED, secrets: [{ ...ended, lastUsedAt: null }] })],
    ['a rotated access key', rotated(accessKey(), 60 * MINUTE)],
  ])('%s', (_name, key) => {
    expect(sectionOf(key)).toMatchSnapshot();
  });

  it('for a Developer, and of a disabled account', () => {
    expect(sectionOf(rotated(accessKey(), 60 * MINUTE), developer)).toMatchSnapshot('a Developer');
    expect(sectionOf(accessKey(), owner, true)).toMatchSnapshot('a disabled account');
  });

  it.each([
    [60 * MINUTE, undefined],
    [60 * MINUTE, 54 * MINUTE],
    [60 * MINUTE, 55 * MINUTE],
    [60 * MINUTE, 65 * MINUTE],
    [60 * MINUTE, 65 * MINUTE + 1],
    [370_000, 370_000],
    [370_000, 369_999],
    [370_000, undefined],
    [370_001, undefined],
    [370_001, 370_000],
  ])('the old secret, %i ms after a rotation, last used %s ms ago', (age, used) => {
    const old = { lastUsedAt: used === undefined ? null : msBefore(used), lastUsedFrom: '203.0.113.7' };
    expect(sectionOf(rotated(secretKey(), age, old))).toMatchSnapshot();
  });
});

describe('the usage of a key', () => {
  it.each([
    [0, 0],
    [1, 0],
    [12_345, 678],
    [0, 3],
  ])('with %i accepted and %i refused requests', (accepted, refused) => {
    expect(linesOf(usageSection(usageOf('key_1', { accepted, refused })).text)).toMatchSnapshot();
  });

  it('is shown also if as many requests were refused as accepted', () => {
    expect(usageSection(usageOf('key_1', { accepted: 3, refused: 3 })).text).toContain('<svg role="img"');
  });
});
