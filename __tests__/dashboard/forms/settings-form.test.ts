import { describe, expect, it } from '@jest/globals';
import { isFormError } from '../../../lib/dashboard/forms/settings-form.js';
import { ManagementError } from '../../../lib/management/management-error.js';
import { managed, OPERATOR } from '../../support/managed.js';
import { editForm, KEY_TYPES, newForm, PATH } from '../key-forms.js';
import { fieldOf, MOUNT, type Reply, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const NEW_PAGE = { keys: '/keys/new?kind=secret', accessKeys: '/access-keys/new' } as const;
const titleIn = ({ body }: Reply) => /<title>(.*?)<\/title>/.exec(body)?.[1];
const formIn = ({ body }: Reply) => /<form class="settings".*?<\/form>/s.exec(body)?.[0] ?? '';
/** The radio buttons and checkboxes that are checked. */
const checkedIn = (reply: Reply) =>
  [...formIn(reply).matchAll(/name="([^"]*)" value="([^"]*)" checked/g)].map(([, name, value]) => `${name}=${value}`);

describe('the form for a new key', () => {
  it.each([
    ['/keys/new?kind=secret', '/keys', 'secret', '/'],
    ['/keys/new?kind=public', '/keys', 'public', '/'],
    ['/access-keys/new', '/access-keys', undefined, '/access-keys'],
  ])('%s is sent to %s with its kind, and leads back to the list', async (page, path, kind, list) => {
    const browser = dashboard.browser((await at.account()).developer);
    const reply = await browser.get(page);
    expect(formIn(reply)).toContain(`<form class="settings" method="post" action="${MOUNT}${path}">`);
    expect(fieldOf(reply, 'kind')).toBe(kind);
    expect(reply.body).toContain(`<p class="crumb"><a href="${MOUNT}${list}">`);
    expect(formIn(reply)).toContain(`<a href="${MOUNT}${list}">Cancel</a>`);
    expect(reply.body).not.toMatch(/\ba access/);
    expect(formIn(reply)).toMatch(/<input id="field-name" name="name" value="" maxlength="100"/);
  });

  it('offers live, all channels and all scopes, but no API', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    expect(checkedIn(await browser.get(NEW_PAGE.keys))).toEqual([
      'environment=live',
      'scopes.of=all',
      'channels.of=all',
    ]);
    expect(checkedIn(await browser.get(NEW_PAGE.accessKeys))).toEqual([
      'environment=live',
      'defaultScopes.of=all',
      'channels.of=all',
    ]);
  });

  it('says what an account lacks by what its kind of key needs', async () => {
    const [withScopes, withApis] = [await at.account({ apis: [] }), await at.account({ scopes: [] })];
    const hasForm = async (holder: typeof withApis) => {
      const browser = dashboard.browser(holder.developer);
      return [formIn(await browser.get(NEW_PAGE.keys)) !== '', formIn(await browser.get(NEW_PAGE.accessKeys)) !== ''];
    };
    expect(await hasForm(withScopes)).toEqual([false, true]);
    expect(await hasForm(withApis)).toEqual([true, false]);
  });

  it('of a public key has no field for addresses', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    expect((await browser.get('/keys/new?kind=public')).body).not.toContain('name="allowedAddresses"');
    expect((await browser.get(NEW_PAGE.keys)).body).toContain('name="allowedAddresses"');
  });

  it('has a field for a platform only if the account has platforms', async () => {
    const holder = await at.account({ platforms: [] });
    expect((await dashboard.browser(holder.developer).get(NEW_PAGE.keys)).body).not.toContain('name="platform"');
  });

  it('describes its choices by their hints, and by their errors', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    expect(formIn(await browser.get('/keys/new?kind=public'))).toContain(
      '<fieldset id="field-apis" tabindex="-1" aria-describedby="apis-hint" data-choice>',
    );
    expect(formIn(await browser.get(NEW_PAGE.keys))).toContain('<fieldset id="field-apis" tabindex="-1" data-choice>');
    const wrong = await browser.post('/keys', newForm('keys', { kind: 'public', 'apis.of': [], apis: [] }));
    expect(formIn(wrong)).toContain(
      '<fieldset id="field-apis" tabindex="-1" aria-describedby="apis-hint apis-error" data-choice>',
    );
  });

  it('has the whole date of each button as a tooltip', async () => {
    const { body } = await dashboard.browser((await at.account()).owner).get(NEW_PAGE.keys);
    const titles = [...body.matchAll(/data-day="[^"]+" title="([^"]*)"/g)].map(([, title]) => title);
    const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
    expect(titles).toEqual([30, 90, 365].map((days) => format.format(at.clock.now() + days * 86_400_000)));
  });
});

describe('after an error', () => {
  const texts = { metadata: 'team=checkout', allowedAddresses: '203.0.113.7', limits: '100/1m', name: 'Till' };

  it('the form for an API key has every value that was sent', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    const reply = await browser.post(
      '/keys',
      newForm('keys', {
        ...{ ...texts, environment: 'sandbox', apis: ['payments', 'disputes'], 'scopes.of': 'some' },
        ...{ scopes: 'disputes', 'channels.of': 'some', channels: 'pc_2', platform: 'shop', expiresAt: '2001-01-01' },
      }),
    );
    expect([reply.status, titleIn(reply)]).toEqual([400, expect.stringMatching(/^Error: /)]);
    expect(checkedIn(reply)).toEqual([
      ...['environment=sandbox', 'apis.of=some', 'apis=payments', 'apis=disputes'],
      ...['scopes.of=some', 'scopes=disputes', 'channels.of=some', 'channels=pc_2'],
    ]);
    expect(fieldOf(reply, 'kind')).toBe('secret');
    expect(formIn(reply)).toContain('<option value="shop" selected>');
    expect(formIn(reply)).toContain('name="expiresAt" value="2001-01-01"');
    expect(formIn(reply)).toContain('>\nteam=checkout</textarea>');
    expect(formIn(reply)).toContain('>\n203.0.113.7</textarea>');
    expect(fieldOf(reply, 'limits')).toBe('100/1m');
    expect(fieldOf(reply, 'name')).toBe('Till');
  });

  it('the form for an access key has every value that was sent', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    const reply = await browser.post(
      '/access-keys',
      newForm('accessKeys', {
        ...{ ...texts, scopes: ['payments', 'disputes'], 'defaultScopes.of': 'some', defaultScopes: 'payments' },
        ...{ expiresAt: '2001-01-01' },
      }),
    );
    expect(reply.status).toBe(400);
    expect(checkedIn(reply)).toEqual([
      ...['environment=live', 'scopes=payments', 'scopes=disputes'],
      ...['defaultScopes.of=some', 'defaultScopes=payments', 'channels.of=all'],
    ]);
  });

  it('names that were typed are kept, separated by spaces', async () => {
    const holder = await at.account({ apis: 'all' });
    const form = newForm('keys', { apis: [], 'apis.named': 'repository,invoices', expiresAt: '2001-01-01' });
    const reply = await dashboard.browser(holder.owner).post('/keys', form);
    expect([reply.status, fieldOf(reply, 'apis.named')]).toEqual([400, 'repository invoices']);
  });

  it.each([
    ['metadata', 'name'],
    ['limits', 'many'],
  ])('the section with the error is open: %s', async (name, text) => {
    const holder = await at.account();
    const { key } = await holder.key();
    const browser = dashboard.browser(holder.owner);
    const page = await browser.post(`/keys/${key.id}/edit`, editForm('keys', key, { [name]: text }));
    expect([page.status, page.body]).toEqual([400, expect.stringContaining('<details class="group" open>')]);
  });

  it.each<[string, string, Record<string, string | readonly string[]>, RegExp]>([
    ['apis', '/keys', { apis: [] }, /^Choose at least one API\.$/],
    ['scopes', '/access-keys', { scopes: [] }, /^Choose at least one scope\.$/],
    ['expiresAt', '/keys', { expiresAt: '2001-01-01' }, /^Choose today or a later date\.$/],
    ['apis', '/keys', { apis: 'repository' }, /^Your account is not allowed to use .*repository/],
    ['name', '/keys', { name: 'x'.repeat(101) }, /^Enter at most 100 /],
    [
      'channels',
      '/keys',
      { 'channels.of': 'all', channels: 'pc_1' },
      /^You chose all channels, but also selected some of them/,
    ],
    [
      'scopes',
      '/keys',
      { 'scopes.of': 'all', scopes: 'payments' },
      /you chose all scopes, but also selected some of them/i,
    ],
    [
      'defaultScopes',
      '/access-keys',
      { defaultScopes: 'payments' },
      /you chose all scopes, but also selected some of them/i,
    ],
    ['channels', '/keys', { 'channels.of': [] }, /^Choose all channels or only/],
  ])('the message at %s of %s is for people: %j', async (field, path, more, message) => {
    const browser = dashboard.browser((await at.account()).owner);
    const { status, body } = await browser.post(path, newForm(path === '/keys' ? 'keys' : 'accessKeys', more));
    expect(status).toBe(400);
    const shown = new RegExp(`id="${field}-error">([^<]*)<`).exec(body)?.[1];
    expect(shown).toMatch(message);
    expect(body).toContain(`: ${shown}</a></li>`);
  });

  it('a form with a day that is today creates a key that expires at its end', async () => {
    const holder = await at.account();
    const today = new Date(at.clock.now()).toISOString().slice(0, 10);
    const browser = dashboard.browser(holder.owner);
    expect((await browser.post('/keys', newForm('keys', { expiresAt: today }))).status).toBe(201);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key?.expiresAt).toEqual(new Date(Date.parse(today) + 86_400_000));
    expect(fieldOf(await browser.get(`/keys/${key?.id}/edit`), 'expiresAt')).toBe(today);
  });
});

describe.each(KEY_TYPES)('the form that edits %s', (keyType) => {
  it('is sent to the key, leads back to it, and has no field for the environment', async () => {
    const holder = await at.account();
    const { key } = keyType === 'keys' ? await holder.key() : await holder.accessKey();
    const url = `${MOUNT}${PATH[keyType]}/${key.id}`;
    const page = await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${key.id}/edit`);
    expect(formIn(page)).toContain(`method="post" action="${url}/edit">`);
    expect(formIn(page)).toContain(`<a href="${url}">Cancel</a>`);
    expect(page.body).toContain(`<p class="crumb"><a href="${url}">`);
    expect(page.body).not.toContain('name="environment"');
    expect(titleIn(page)).toBe(`Edit ${key.id} - keyward`);
  });

  it('says that an exact time is kept, but not of a midnight', async () => {
    const holder = await at.account();
    const { key } = keyType === 'keys' ? await holder.key() : await holder.accessKey();
    const service = at.management[keyType];
    const hint = async () =>
      (await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${key.id}/edit`)).body.includes(
        '22 Feb 2031, 10:30',
      );
    await service.edit(holder.owner, key.id, { version: 1, expiresAt: new Date('2031-02-22T10:30:00Z') });
    expect(await hint()).toBe(true);
    await service.edit(holder.owner, key.id, { version: 2, expiresAt: new Date('2031-02-23T00:00:00Z') });
    const { body } = await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${key.id}/edit`);
    expect(body).not.toContain('exact time');
    expect(body).toContain('name="expiresAt" value="2031-02-22"');
  });

  it('after a conflict compares every setting, and leads back to the key', async () => {
    const holder = await at.account();
    const { key } = keyType === 'keys' ? await holder.key() : await holder.accessKey();
    const browser = dashboard.browser(holder.owner);
    await at.management[keyType].edit(holder.owner, key.id, { version: 1, channels: ['pc_2', 'pc_1'] });
    const mine = editForm(keyType, key, {
      ...{ metadata: 'team=checkout\r\nregion=eu', allowedAddresses: '203.0.113.7\r\n203.0.113.8', limits: '100/1m' },
      ...{ expiresAt: '2030-12-31', 'channels.of': 'some', channels: ['pc_1', 'pc_2'] },
      ...(keyType === 'accessKeys' ? { 'defaultScopes.of': 'some', defaultScopes: [] } : {}),
    });
    const page = await browser.post(`${PATH[keyType]}/${key.id}/edit`, mine);
    expect([page.status, titleIn(page)]).toEqual([409, `Error: Edit ${key.id} - keyward`]);
    expect(page.body).toContain(
      `<a class="button plain" href="${MOUNT}${PATH[keyType]}/${key.id}">Discard changes</a>`,
    );
    const rows = [...page.body.matchAll(/<tr role="row" class="differs">(.*?)<\/tr>/gs)].map(([, row = '']) =>
      row.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|'),
    );
    expect(rows).toEqual([
      ...(keyType === 'accessKeys' ? ['|Default scopes| (differs)|All|None|'] : []),
      '|Allowed IP addresses| (differs)|None|203.0.113.7 203.0.113.8|',
      '|Rate limits| (differs)|None|100/1m|',
      '|Expiration date| (differs)|None|2030-12-31|',
      '|Metadata| (differs)|None|team=checkout, region=eu|',
    ]);
  });
});

describe('an edit', () => {
  it('of an access key with all default scopes gives it the new scopes as default scopes', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const browser = dashboard.browser(holder.owner);
    const page = await browser.get(`/access-keys/${key.id}/edit`);
    expect(checkedIn(page)).toContain('defaultScopes.of=all');
    const form = editForm('accessKeys', key, { scopes: ['payments', 'disputes'] });
    expect((await browser.post(`/access-keys/${key.id}/edit`, form)).status).toBe(303);
    const scopes = ['payments', 'disputes'];
    expect(await at.management.accessKeys.view(holder.owner, key.id)).toMatchObject({ scopes, defaultScopes: scopes });
  });

  it('of a public key without scopes keeps it so', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ kind: 'public' });
    const browser = dashboard.browser(holder.owner);
    const form = editForm('keys', key, { name: 'Shop', 'apis.of': [], 'scopes.of': [] });
    expect((await browser.post(`/keys/${key.id}/edit`, form)).status).toBe(303);
    expect(await at.management.keys.view(holder.owner, key.id)).toMatchObject({ name: 'Shop', scopes: null });
  });

  it('shows the scopes of a key whose account has none any more', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ scopes: ['payments'] });
    await at.management.accounts.put(OPERATOR, holder.id, { apis: ['payments'], scopes: [] });
    const page = await dashboard.browser(holder.owner).get(`/keys/${key.id}/edit`);
    expect(checkedIn(page)).toContain('scopes=payments');
  });

  it('reads addresses that are separated by commas, spaces or lines', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const allowedAddresses = '203.0.113.7, 203.0.113.8 203.0.113.9\r\n2001:db8::/32';
    const form = editForm('keys', key, { allowedAddresses });
    expect((await dashboard.browser(holder.owner).post(`/keys/${key.id}/edit`, form)).status).toBe(303);
    expect(await at.management.keys.view(holder.owner, key.id)).toMatchObject({
      allowedAddresses: ['203.0.113.7', '203.0.113.8', '203.0.113.9', '2001:db8::/32'],
    });
  });

  it('keeps a platform and addresses that the form would not offer otherwise', async () => {
    const holder = await at.account();
    const { key } = await holder.key({
      ...{ kind: 'public', platform: 'shop', channels: ['pc_1'], allowedAddresses: ['203.0.113.7', '203.0.113.8'] },
    });
    await at.management.accounts.put(OPERATOR, holder.id, { apis: ['payments'], channels: ['pc_1'], platforms: [] });
    const page = await dashboard.browser(holder.owner).get(`/keys/${key.id}/edit`);
    expect(formIn(page)).toContain('<option value="shop" selected>');
    expect(formIn(page)).toContain('>\n203.0.113.7\n203.0.113.8</textarea>');
  });
});

describe('a form that is shown again', () => {
  const METADATA = 'team=\u0645\u06cc\u200c\u062e\nlead=\u{1f469}\u200d\u{1f4bb}\ncost\tcenter=42';
  const STORED = { team: '\u0645\u06cc\u200c\u062e', lead: '\u{1f469}\u200d\u{1f4bb}', 'cost\tcenter': '42' };
  const areaIn = ({ body }: Reply) =>
    (/<textarea id="field-metadata"[^>]*>\n(.*?)<\/textarea>/s.exec(body)?.[1] ?? '').replace(/&#x(\w+);/g, (_, code) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );

  it('gives back the metadata that was typed, with invisible characters', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.developer);
    const form = newForm('keys', { metadata: METADATA.replaceAll('\n', '\r\n') });
    const refused = await browser.post('/keys', { ...form, expiresAt: '2001-01-01' });
    expect([refused.status, areaIn(refused)]).toEqual([400, METADATA]);
    expect((await browser.post('/keys', { ...form, metadata: areaIn(refused) })).status).toBe(201);
    expect((await at.management.keys.list(holder.owner)).items).toMatchObject([{ metadata: STORED }]);
  });

  it('does so after a conflict', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Other' });
    const form = editForm('keys', key, { metadata: METADATA });
    const conflict = await dashboard.browser(holder.owner).post(`/keys/${key.id}/edit`, form);
    expect([conflict.status, areaIn(conflict)]).toEqual([409, METADATA]);
  });

  it('refuses more than 100 names, and does not show thousands of checkboxes', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    const named = Array.from({ length: 50_000 }, (_, i) => i.toString(36)).join(' ');
    const { status, body } = await browser.post('/keys', newForm('keys', { apis: [], 'apis.named': named }));
    expect([status, body]).toEqual([400, expect.stringContaining('APIs: Choose at most 100.')]);
    expect(body.match(/<input type="checkbox" name="apis"/g)).toHaveLength(102);
  });

  it('accepts the last day that management accepts', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    expect((await browser.post('/keys', newForm('keys', { expiresAt: '9999-12-31' }))).status).toBe(201);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key?.expiresAt).toEqual(new Date('9999-12-31T23:59:59.999Z'));
    expect(fieldOf(await browser.get(`/keys/${key?.id}/edit`), 'expiresAt')).toBe('9999-12-31');
    expect((await browser.get('/audit?to=9999-12-31')).status).toBe(200);
  });
});

describe('an error', () => {
  it.each(['name', 'apis', 'metadata'])('about the field %s is one of the form', (field) => {
    expect(isFormError(new ManagementError('invalid', `${field}: expected text`, field))).toBe(true);
  });

  it.each([
    ['invalid', undefined],
    ['invalid', 'version'],
    ['version_conflict', 'name'],
    ['forbidden', undefined],
  ] as const)('%s about the field %s is not', (code, field) => {
    expect(isFormError(new ManagementError(code, 'a message', field))).toBe(false);
  });
});
