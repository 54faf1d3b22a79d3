import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type Holder, managed, OPERATOR } from '../../support/managed.js';
import { isAccepted } from '../../support/managed-text.js';
import { editForm, KEY_TYPES, type KeyTypeName, LIST, madeKey, PATH } from '../key-forms.js';
import { altered, type Form, fieldOf, MOUNT, type Reply, servedDashboard, textIn } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const WORD = { keys: 'secret', accessKeys: 'client secret' } as const;

/** A key, and what its Owner does with it. */
async function keyOf(keyType: KeyTypeName) {
  const holder = await at.account();
  const made = await madeKey(holder, keyType);
  at.clock.advance(1_000);
  const browser = dashboard.browser(holder.owner);
  const own = `${PATH[keyType]}/${made.id}`;
  return {
    holder,
    made,
    own,
    get: (path = '') => browser.get(own + path),
    post: (path: string, form: Form = {}) => browser.post(own + path, form),
    now: () => at.management[keyType].view(holder.owner, made.id),
  };
}

/** Where a form leads, and that its page says what was done. */
async function expectDone(reply: Reply, holder: Holder, said: string): Promise<void> {
  expect(reply.status).toBe(303);
  const page = await dashboard.browser(holder.owner).get(String(reply.headers.location).slice(MOUNT.length));
  const message = /<p class="status" role="status">(.*?)<\/p>/.exec(page.body)?.[1]?.replace(/<[^>]+>/g, '');
  expect(message?.startsWith(said) === true ? said : message).toBe(said);
}

it.each([{ scopes: null }, { scopes: [] }])(
  'a secret key of an account without scopes is renamed, and keeps its own: %j',
  async ({ scopes }) => {
    const holder = await at.account();
    const { key } = await holder.key({ scopes: scopes ?? undefined });
    await at.management.accounts.put(OPERATOR, holder.id, { apis: ['payments'], scopes: [], channels: [] });
    const browser = dashboard.browser(holder.owner);
    const page = await browser.get(`/keys/${key.id}/edit`);
    const form = editForm('keys', key, { name: 'Desk', 'scopes.of': fieldOf(page, 'scopes.of') ?? '' });
    expect((await browser.post(`/keys/${key.id}/edit`, form)).status).toBe(303);
    expect(await at.management.keys.view(holder.owner, key.id)).toMatchObject({ name: 'Desk', scopes });
  },
);

it('a public key with an empty list of scopes is renamed, and nothing else is in the audit log', async () => {
  const holder = await at.account();
  const { key } = await holder.key({ kind: 'public', scopes: [] });
  const form = { version: '1', name: 'Desk', apis: 'payments', 'channels.of': 'all' };
  expect((await dashboard.browser(holder.owner).post(`/keys/${key.id}/edit`, form)).status).toBe(303);
  expect((await holder.story()).at(-1)?.after).toEqual({ name: 'Desk' });
  expect((await at.management.keys.view(holder.owner, key.id)).scopes).toEqual([]);
});

it('a conflict does not compare a setting that the form has no field for, and saving keeps it', async () => {
  const holder = await at.account();
  const { key } = await holder.key({ kind: 'public' });
  const browser = dashboard.browser(holder.owner);
  const form = { name: 'Mine', apis: 'payments', 'channels.of': 'all', limits: '', metadata: '' };
  await at.management.keys.edit(holder.owner, key.id, { version: 1, allowedAddresses: ['203.0.113.7'] });
  const conflict = await browser.post(`/keys/${key.id}/edit`, { version: '1', ...form });
  expect(conflict.status).toBe(409);
  const settings = [...conflict.body.matchAll(/role="rowheader">([^<]*)/g)].map(([, setting]) => setting);
  expect(settings).toEqual(expect.arrayContaining(['Name', 'Rate limits', 'Metadata']));
  expect(settings).not.toContain('Allowed IP addresses');
  expect((await browser.post(`/keys/${key.id}/edit`, { version: '2', ...form })).status).toBe(303);
  expect((await at.management.keys.view(holder.owner, key.id)).allowedAddresses).toEqual(['203.0.113.7']);
});

it('a key with as much metadata as a record can have is renamed', async () => {
  const holder = await at.account();
  const entries = Array.from({ length: 64 }, (_, i) => [`${i}`.padStart(40, '\u00e9'), '\u65e5'.repeat(500)]);
  const metadata = Object.fromEntries(entries);
  const { key } = await holder.key({ metadata });
  const lines = entries.map(([name, value]) => `${name}=${value}`).join('\n');
  const form = editForm('keys', key, { name: 'Desk', metadata: lines });
  const browser = dashboard.browser(holder.owner);
  expect((await browser.post(`/keys/${key.id}/edit`, form)).status).toBe(303);
  expect(await at.management.keys.view(holder.owner, key.id)).toMatchObject({ name: 'Desk', metadata });
});

describe.each(KEY_TYPES)('%s', (keyType) => {
  it('the form shows the settings of the key; sent unchanged, it changes nothing', async () => {
    const { holder, get, post, now, made } = await keyOf(keyType);
    const page = await get('/edit');
    expect(fieldOf(page, 'version')).toBe('1');
    expect(page.body).toMatch(new RegExp(`name="${keyType === 'keys' ? 'apis' : 'scopes'}" value="payments" checked`));
    await expectDone(await post('/edit', editForm(keyType, made)), holder, `The key “${made.id}” was updated.`);
    expect(await now()).toEqual(made);
    expect(await holder.story()).toHaveLength(1);
  });

  it('an edit changes only the given settings, and the audit log shows only them', async () => {
    const { holder, get, post, now, made } = await keyOf(keyType);
    const form = editForm(keyType, made, {
      name: 'Desk',
      'channels.of': 'some',
      channels: ['pc_2', 'pc_1'],
      expiresAt: '2030-12-31',
    });
    await expectDone(await post('/edit', form), holder, 'The key “Desk” was updated.');
    const expiresAt = new Date('2031-01-01T00:00:00Z');
    expect(await now()).toEqual({ ...made, version: 2, name: 'Desk', channels: ['pc_2', 'pc_1'], expiresAt });
    const [, entry] = await holder.story();
    expect(entry?.before).toEqual({ name: null, channels: 'all', expiresAt: null });
    expect(fieldOf(await get('/edit'), 'expiresAt')).toBe('2030-12-31');
  });

  it('another order of checkboxes is no change, and an unchanged day keeps its exact time', async () => {
    const { holder, post, now, made } = await keyOf(keyType);
    const settings = { channels: ['pc_2', 'pc_1'], expiresAt: new Date(at.clock.now() + 12_345_678), name: 'Till' };
    await at.management[keyType].edit(holder.owner, made.id, { version: 1, ...settings });
    const day = settings.expiresAt.toISOString().slice(0, 10);
    const form = { name: 'Till', 'channels.of': 'some', channels: ['pc_1', 'pc_2'], expiresAt: day };
    expect((await post('/edit', editForm(keyType, { version: 2 }, form))).status).toBe(303);
    expect(await now()).toMatchObject({ ...settings, version: 2 });
    const away = { ...form, name: '', 'channels.of': 'all', channels: [], expiresAt: '' };
    expect((await post('/edit', editForm(keyType, { version: 2 }, away))).status).toBe(303);
    expect(await now()).toMatchObject({ name: null, channels: 'all', expiresAt: null });
  });

  it.each<[string, Form]>([
    ['channels', { 'channels.of': 'some', channels: 'pc_9' }],
    ['expiresAt', { expiresAt: '2001-01-01' }],
    ['scopes', { 'scopes.of': 'some', scopes: 'repository' }],
  ])('an invalid %s is reported at the field', async (field, more) => {
    const { post, now, made } = await keyOf(keyType);
    const { status, body } = await post('/edit', editForm(keyType, made, { name: 'Desk', ...more }));
    expect([status, body]).toEqual([400, expect.stringContaining(`<a href="#field-${field}">`)]);
    expect(body).toContain('value="Desk"');
    expect(await now()).toEqual(made);
  });

  it('a form with an error keeps its version: corrected, it does not overwrite an edit made in the meantime', async () => {
    const { post, now, made } = await keyOf(keyType);
    expect((await post('/edit', editForm(keyType, made, { name: 'Theirs' }))).status).toBe(303);
    const refused = await post('/edit', editForm(keyType, made, { name: 'Mine', expiresAt: '2001-01-01' }));
    expect(refused.status).toBe(400);
    const version = fieldOf(refused, 'version') ?? '';
    expect(version).toBe('1');
    expect((await post('/edit', editForm(keyType, made, { name: 'Mine', version }))).status).toBe(409);
    expect(await now()).toMatchObject({ name: 'Theirs', version: 2 });
  });

  it('M37 two Owners edit the same version: the second sees both versions, and can overwrite the first', async () => {
    const { holder, post, now, made } = await keyOf(keyType);
    expect((await post('/edit', editForm(keyType, made, { name: 'Theirs' }))).status).toBe(303);
    const mine = editForm(keyType, made, { name: 'Mine', 'channels.of': 'some', channels: 'pc_1' });
    const conflict = await post('/edit', mine);
    expect(conflict.status).toBe(409);
    expect(await now()).toMatchObject({ name: 'Theirs', channels: 'all', version: 2 });
    const differing = [...conflict.body.matchAll(/<tr role="row" class="differs">(.*?)<\/tr>/gs)].map(([, row = '']) =>
      row.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|'),
    );
    expect(differing).toEqual(['|Name| (differs)|Theirs|Mine|', '|Channels| (differs)|All|pc_1|']);
    expect(conflict.body).toContain('Discard changes');
    expect(conflict.body).toContain('name="name" value="Mine"');
    const version = fieldOf(conflict, 'version') ?? '';
    expect(version).toBe('2');
    await expectDone(await post('/edit', { ...mine, version }), holder, 'The key “Mine” was updated.');
    expect(await now()).toMatchObject({ name: 'Mine', channels: ['pc_1'], version: 3 });
  });

  it('M37 two concurrent edits: one succeeds, the other gets a conflict', async () => {
    const { post, now, made } = await keyOf(keyType);
    const replies = await Promise.all(['A', 'B'].map((name) => post('/edit', editForm(keyType, made, { name }))));
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect((await now()).version).toBe(2);
  });

  it.each(['', 'x', '-1', '1.5', '1e3'])('an edit of the version %j is refused', async (version) => {
    const { post, now, made } = await keyOf(keyType);
    for (const path of ['/edit', '/disable', '/rotate']) {
      const form =
        path === '/edit'
          ? editForm(keyType, made, { version })
          : { version, ...(path === '/rotate' ? { grace: '0' } : {}) };
      expect((await post(path, form)).status).toBe(400);
    }
    expect(await now()).toEqual(made);
  });

  it('Disable and Revoke say before it that requests are refused at once, and name each other', async () => {
    const { get, own } = await keyOf(keyType);
    const [disable, revoke] = [await get('/disable/confirm'), await get('/revoke')];
    const refused =
      keyType === 'accessKeys'
        ? 'Every token request with this key, and every request with an access token that was issued with it,'
        : 'Every request with this key';
    expect(disable.body).toContain(`${refused} will be refused until you enable the key again.`);
    expect(disable.body).toContain(`<a href="${MOUNT}${own}/revoke">revoke the key</a>`);
    expect(disable.body).toContain('<button class="danger">Disable</button>');
    expect(revoke.body).toContain(`${refused} will be refused immediately. This cannot be undone.`);
    expect(revoke.body).toContain(`<a href="${MOUNT}${own}/disable/confirm">disable the key</a>`);
  });

  it('is disabled and enabled; an outdated version is a conflict', async () => {
    const { holder, get, post, now, made } = await keyOf(keyType);
    await expectDone(await post('/disable', { version: '1' }), holder, `The key “${made.id}” was disabled`);
    expect((await now()).state).toBe('disabled');
    expect((await get()).body).toContain('>Enable</a>');
    const late = await post('/enable', { version: '1' });
    expect([late.status, late.body]).toEqual([409, expect.stringContaining('Go back')]);
    expect((await now()).state).toBe('disabled');
    await expectDone(await post('/enable', { version: '2' }), holder, `The key “${made.id}” was enabled`);
    expect((await now()).state).toBe('active');
  });

  it('is rotated with a grace period: the new secret is shown once, with the end of the old one', async () => {
    const { post, now, get, made } = await keyOf(keyType);
    const rotated = await post('/rotate', { version: '1', grace: '86400' });
    expect(rotated.status).toBe(200);
    expect(textIn(rotated)).not.toBe('');
    expect(rotated.body).toContain(`The old ${WORD[keyType]} <code class="end">${made.hint}</code> is accepted until`);
    const [young, old] = (await now()).secrets;
    expect([young?.acceptedUntil, old?.acceptedUntil]).toEqual([null, new Date(at.clock.now() + 86_400_000)]);
    if (keyType === 'keys') expect(await isAccepted(at, textIn(rotated))).toBe(true);
    expect((await get()).body).not.toContain(textIn(rotated));
  });

  it.each(['revoked', 'expired'])('N37 a rotated key that is %s: no secret is shown as accepted', async (how) => {
    const { holder, post, get, made } = await keyOf(keyType);
    await post('/rotate', { version: '1', grace: '86400' });
    expect((await get()).body).toContain('Its grace period ends on');
    const expiresAt = new Date(at.clock.now() + 60_000);
    const service = at.management[keyType];
    if (how === 'revoked') await service.revoke(holder.owner, made.id);
    else await service.edit(holder.owner, made.id, { version: 2, expiresAt });
    at.clock.advance(60_000);
    const { body } = await get();
    expect(body).not.toMatch(/grace period|is accepted|is taken/);
    expect(body).toContain('<h3>No longer accepted</h3>');
  });

  it('N37 offers no grace period that ends after the key', async () => {
    const { holder, get, made } = await keyOf(keyType);
    const gracesIn = ({ body }: Reply) =>
      [...body.matchAll(/name="grace" value="(\d+)"( checked)?/g)].map(
        ([, seconds, checked]) => `${seconds}${checked ?? ''}`,
      );
    expect(gracesIn(await get('/rotate/confirm'))).toEqual(['0', '3600', '86400', '604800 checked', '2592000']);
    const expiresAt = new Date(at.clock.now() + 86_400_000);
    await at.management[keyType].edit(holder.owner, made.id, { version: 1, expiresAt });
    expect(gracesIn(await get('/rotate/confirm'))).toEqual(['0', '3600 checked']);
  });

  it('N37 a rotated key that is disabled: its old secret is shown as refused', async () => {
    const { holder, post, get, made } = await keyOf(keyType);
    await post('/rotate', { version: '1', grace: '86400' });
    expect((await get()).body).not.toContain('refused while the key is disabled');
    await at.management[keyType].edit(holder.owner, made.id, { version: 2, disabled: true });
    expect((await get()).body.match(/This [a-z ]+ is refused while the key is disabled/g)).toHaveLength(2);
  });

  it('shows the old secret as unused only when its uses would have been stored', async () => {
    const { get, post } = await keyOf(keyType);
    await post('/rotate', { version: '1', grace: '86400' });
    const tooSoon =
      /No use has been recorded since the rotation \(<time [^>]+>(just now|\d minutes? ago)<\/time>\)\. Recent uses may be missing, so check this page again about 6 minutes after the rotation\./;
    // 70 s, and 5 minutes by which clocks may differ.
    for (const milliseconds of [0, 65_000, 5_000, 300_000]) {
      at.clock.advance(milliseconds);
      const { body } = await get();
      expect(body).toMatch(tooSoon);
      expect(body).not.toContain('It has not been used since');
    }
    at.clock.advance(1);
    expect((await get()).body).toMatch(
      /<strong>It has not been used since the rotation \(<time [^>]+>6 minutes ago<\/time>\)\.<\/strong>/,
    );
  });

  it('does not show it as unused if its last use may be after the rotation by another clock', async () => {
    const { holder, post, now } = await keyOf(keyType);
    await post('/rotate', { version: '1', grace: '86400' });
    const rotatedAt = at.clock.now();
    at.clock.advance(370_001);
    const doubt = 'It was last used at about the time of the rotation';
    const claim = 'It has not been used since the rotation';
    for (const [before, shown, other] of [
      [-300_001, 'It has been used since the rotation', doubt],
      [-300_000, doubt, 'It has been used since the rotation'],
      [0, doubt, claim],
      [300_000, doubt, claim],
      [300_001, claim, doubt],
    ] as const) {
      const body = await page(keyType, holder, usedAt(await now(), rotatedAt - before));
      expect(body).toContain(shown);
      expect(body).not.toContain(other);
    }
  });

  it('the rotation form sent again, as by a reload: nothing is rotated again', async () => {
    const { post, now } = await keyOf(keyType);
    await post('/rotate', { version: '1', grace: '0' });
    const before = await now();
    const again = await post('/rotate', { version: '1', grace: '0' });
    expect([again.status, again.body]).toEqual([409, expect.stringContaining('No changes were made.')]);
    expect(textIn(again)).toBe('');
    expect(await now()).toEqual(before);
  });

  it('shows whether the old secret is still in use, and can end its grace period', async () => {
    const { holder, get, post, now, made } = await keyOf(keyType);
    await post('/rotate', { version: '1', grace: '3600' });
    at.clock.advance(60_000);
    const used = seen(await now(), at.clock.now());
    expect(await page(keyType, holder, used)).toContain('<strong>It has been used since the rotation (');
    expect(await page(keyType, holder, used)).toContain('from <bdi>198.51.100.9</bdi>');
    expect((await get()).body).not.toContain('/end-grace"');
    const asked = await get('/end-grace/confirm');
    const request = keyType === 'keys' ? 'request' : 'token request';
    expect(asked.body).toContain(`Every ${request} with the old ${WORD[keyType]} <code class="end">`);
    expect(asked.body).toContain(`<h1>End the grace period of <bdi>${made.id}</bdi></h1>`);
    expect(asked.body).toContain('This cannot be undone.');
    expect(await page(keyType, holder, used, '/end-grace/confirm')).toContain('from <bdi>198.51.100.9</bdi>');
    const version = fieldOf(asked, 'version') ?? '';
    expect((await post('/end-grace', { version: '1' })).status).toBe(409);
    await expectDone(
      await post('/end-grace', { version }),
      holder,
      `The grace period of the key “${made.id}” has ended. The old ${WORD[keyType]} is no longer accepted.`,
    );
    expect((await get()).body).not.toContain('End the grace period now');
    expect(
      (await now()).secrets.filter(
        ({ acceptedUntil }) => acceptedUntil === null || acceptedUntil.getTime() > at.clock.now(),
      ),
    ).toHaveLength(1);
    expect((await post('/end-grace', { version: '3' })).status).toBe(404);
    expect((await get('/end-grace/confirm')).status).toBe(404);
  });

  it('is rotated again within the grace period: before and after, the page names the secret that ends', async () => {
    const { post, get, now, made } = await keyOf(keyType);
    expect((await get('/rotate/confirm')).body).not.toContain('immediately');
    await post('/rotate', { version: '1', grace: '86400' });
    at.clock.advance(1_000);
    const { body } = await get('/rotate/confirm');
    const text = body.replace(/<[^>]+>/g, '');
    expect(text).toContain(
      `If you rotate the key now, the grace period of the old ${WORD[keyType]} ${made.hint} ends immediately. The old ${WORD[keyType]} has never been used. Usage data can be delayed by up to a minute.`,
    );
    expect(text).toContain(`If clients might still use the old ${WORD[keyType]}, do not rotate the key before `);
    const { hint } = await now();
    expect(text).toContain(`When should the current ${WORD[keyType]} ${hint} stop working?`);
    expect(text).not.toContain('add a client secret');
    expect(body).toContain('<button>Rotate and end the current grace period</button>');
    const again = await post('/rotate', { version: '2', grace: '86400' });
    expect(again.body).toContain(
      `<p>The ${WORD[keyType]} <code class="end">${made.hint}</code> is no longer accepted.</p>`,
    );
    at.clock.advance(1_000);
    const last = await post('/rotate', { version: '3', grace: '0' });
    const hints = (await now()).secrets.slice(1, 3).map(({ hint }) => `<code class="end">${hint}</code>`);
    expect(last.body).toContain(`<p>The ${WORD[keyType]}s ${hints.join(', ')} are no longer accepted.</p>`);
  });

  it.each(['-1', '2592001', 'soon', '', '1.5'])('is not rotated with the grace period %j', async (grace) => {
    const { post, now, made } = await keyOf(keyType);
    expect((await post('/rotate', { version: '1', grace })).status).toBe(400);
    expect(await now()).toEqual(made);
  });

  it('is rotated with the longest grace period that the page offers', async () => {
    const { post, now } = await keyOf(keyType);
    expect((await post('/rotate', { version: '1', grace: '2592000' })).status).toBe(200);
    expect((await now()).secrets[1]?.acceptedUntil).toEqual(new Date(at.clock.now() + 2_592_000_000));
  });

  it('is revoked when its name is typed, and can still be viewed', async () => {
    const { holder, own, get, post, now, made } = await keyOf(keyType);
    expect((await get('/revoke')).body).toContain(made.id);
    for (const confirm of ['', 'x', made.id.slice(1)]) expect((await post('/revoke', { confirm })).status).toBe(400);
    expect((await now()).state).toBe('active');
    const done = await post('/revoke', { confirm: ` ${made.id} ` });
    expect(done.headers.location).toBe(`${MOUNT}${LIST[keyType]}?done=revoked&key=${made.id}`);
    await expectDone(done, holder, 'The key was revoked');
    const page = await get();
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Revoked')]);
    expect(page.body).not.toContain('<form');
    for (const [path, form] of [
      ['/edit', editForm(keyType, made)],
      ['/disable', { version: '2' }],
      ['/rotate', { version: '2', grace: '0' }],
      ['/revoke', { confirm: made.id }],
    ] as const) {
      const refused = await post(path, form);
      expect([path, refused.status]).toEqual([path, 409]);
    }
    expect((await get('/edit')).status).toBe(409);
    expect(own).toContain(made.id);
  });

  it('a key is revoked by typing its name', async () => {
    const { holder, post, now, made } = await keyOf(keyType);
    await at.management[keyType].edit(holder.owner, made.id, { version: 1, name: 'Till' });
    expect((await post('/revoke', { confirm: made.id })).status).toBe(400);
    await expectDone(await post('/revoke', { confirm: 'Till' }), holder, 'The key “Till” was revoked.');
    expect((await now()).state).toBe('revoked');
  });
});

describe('API keys', () => {
  it('public keys have texts of their own: nothing is shown once, and there is no server', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ kind: 'public' });
    const browser = dashboard.browser(holder.owner);
    const asked = (await browser.get(`/keys/${key.id}/rotate/confirm`)).body;
    expect(asked).toContain('The key will get a new value. ');
    expect(asked).toContain('so that you can update your pages and apps.');
    expect(asked).toContain(`When should the current public key <code class="end">${key.hint}</code> stop working?`);
    const form = { version: '1', grace: '3600' };
    const rotated = (await browser.post(`/keys/${key.id}/rotate`, form)).body;
    expect(rotated).toContain(`The old public key <code class="end">${key.hint}</code> is accepted until`);
    const pages = ['', '/rotate/confirm', '/end-grace/confirm'].map((path) => browser.get(`/keys/${key.id}${path}`));
    for (const body of [asked, rotated, ...(await Promise.all(pages)).map((page) => page.body)]) {
      expect(body).not.toMatch(/old secret|the secret|shown once|your servers|Key value/i);
    }
  });

  it('of the sandbox are not called live after an error', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ environment: 'sandbox' });
    const browser = dashboard.browser(holder.owner);
    const post = (more: Form) => browser.post(`/keys/${key.id}/edit`, editForm('keys', key, more));
    const pages = [await post({ apis: [] }), await post({ name: 'a' }), await post({ name: 'b' })];
    expect(pages.map(({ status }) => status)).toEqual([400, 303, 409]);
    for (const { body } of pages) expect(body).not.toContain('this live secret key');
  });

  it('change their APIs, scopes and platform', async () => {
    const { post, now, made } = await keyOf('keys');
    const form: Form = {
      ...{ 'apis.of': 'all', apis: [], 'scopes.of': 'some', scopes: ['payments', 'disputes'], platform: 'shop' },
      ...{ 'channels.of': 'some', channels: 'pc_1' },
    };
    expect((await post('/edit', editForm('keys', made, form))).status).toBe(303);
    expect(await now()).toMatchObject({
      apis: 'all',
      scopes: ['payments', 'disputes'],
      platform: 'shop',
      channels: ['pc_1'],
    });
    expect(
      (await post('/edit', editForm('keys', { version: 2 }, { ...form, platform: '', 'scopes.of': 'all', scopes: [] })))
        .status,
    ).toBe(303);
    expect(await now()).toMatchObject({ scopes: null, platform: null });
  });

  it('keep values that their account has lost until they are removed', async () => {
    const { holder, get, post, now, made } = await keyOf('keys');
    await at.management.accounts.put('operator', holder.id, { apis: ['disputes'] });
    expect((await get('/edit')).body).toContain(
      'value="payments" checked> <bdi>payments</bdi> <span class="muted">(no longer available to your account)',
    );
    expect((await post('/edit', editForm('keys', made, { name: 'Till' }))).status).toBe(303);
    expect(await now()).toMatchObject({ name: 'Till', apis: ['payments'] });
  });

  it('have no pages for settings of access keys', async () => {
    const { post } = await keyOf('keys');
    for (const path of ['/secrets', '/secrets/delete', '/revoke-tokens']) {
      expect((await post(path, { version: '1' })).status).toBe(404);
    }
  });
});

describe('access keys', () => {
  it('change their scopes and default scopes', async () => {
    const { post, now, made } = await keyOf('accessKeys');
    const form: Form = { scopes: ['payments', 'disputes'], 'defaultScopes.of': 'some', defaultScopes: 'disputes' };
    expect((await post('/edit', editForm('accessKeys', made, form))).status).toBe(303);
    expect(await now()).toMatchObject({ scopes: ['payments', 'disputes'], defaultScopes: ['disputes'] });
    const lacking = await post('/edit', editForm('accessKeys', { version: 2 }, { ...form, scopes: 'payments' }));
    expect([lacking.status, lacking.body]).toEqual([
      400,
      expect.stringContaining('The key does not have these scopes: '),
    ]);
  });

  it('get a second client secret, shown once; one can be deleted, but never the last', async () => {
    const { holder, get, post, now, made } = await keyOf('accessKeys');
    const added = await post('/secrets', { version: '1' });
    expect([added.status, textIn(added)]).toEqual([201, expect.stringMatching(/^[\w-]{86}$/)]);
    expect(added.body.replace(/<[^>]+>/g, '')).toContain(
      `The other client secret ${made.hint} is still accepted. Update your clients to use the new one.`,
    );
    expect((await get()).body).not.toContain('/secrets/confirm');
    const again = await post('/secrets', { version: '1' });
    expect([again.status, textIn(again)]).toEqual([409, '']);
    expect((await post('/secrets', { version: '2' })).status).toBe(400);
    expect((await post('/rotate', { version: '2', grace: '0' })).body).toContain(
      'The access key has two client secrets. Delete one before you rotate the key.',
    );
    const { secrets } = await now();
    expect((await get()).body.match(/Delete this client secret/g)).toHaveLength(2);
    const [kept, secret = ''] = secrets.map(({ id }) => id);
    const asked = await get(`/secrets/delete/confirm?secret=${secret}`);
    expect(asked.body).toContain(
      `Every token request with the client secret <code class="end">${secrets[1]?.hint}</code> will be refused immediately.`,
    );
    expect(asked.body).toContain('Tokens that were already issued stay valid until they expire');
    expect(asked.body).toContain(`<h1>Delete a client secret from <bdi>${made.id}</bdi></h1>`);
    expect(asked.body).toContain(`<button class="danger">Delete client secret ${secrets[1]?.hint}</button>`);
    expect([fieldOf(asked, 'secret'), fieldOf(asked, 'version')]).toEqual([secret, '2']);
    expect((await get('/secrets/delete/confirm?secret=none')).status).toBe(404);
    expect((await post('/secrets/delete', { version: '1', secret })).status).toBe(409);
    await expectDone(
      await post('/secrets/delete', { version: '2', secret }),
      holder,
      `A client secret was deleted from the key “${made.id}”`,
    );
    expect((await get()).body).not.toContain('Delete this client secret');
    expect((await post('/secrets/delete', { version: '3', secret: kept ?? '' })).status).toBe(400);
    expect((await post('/secrets/delete', { version: '3', secret: 'none' })).status).toBe(404);
  });

  it('warn before a client secret is deleted that is used, if the other one was never used', async () => {
    const { holder, post, now } = await keyOf('accessKeys');
    await post('/secrets', { version: '1' });
    const used = seen(await now(), at.clock.now());
    const [other, secret] = used.secrets;
    const textOf = async (id?: string) =>
      (await page('accessKeys', holder, used, `/secrets/delete/confirm?secret=${id}`)).replace(/<[^>]+>/g, '');
    const text = await textOf(secret?.id);
    expect(text).toContain(
      `The other client secret ${other?.hint} has never been used. Clients probably still use ${secret?.hint}.`,
    );
    expect(text).toMatch(new RegExp(`${secret?.hint} was last used .* from 198.51.100.9`));
    expect(await textOf(other?.id)).not.toContain('the other client secret');
  });

  it('say on Rotate how to keep both secrets, and rotation of an API key does not', async () => {
    const { get, own } = await keyOf('accessKeys');
    expect((await get('/rotate/confirm')).body).toContain(
      `<a href="${MOUNT}${own}/secrets/confirm">add a client secret</a> instead`,
    );
    const other = await keyOf('keys');
    expect((await other.get('/rotate/confirm')).body).not.toContain('add a client secret');
  });

  it.each([false, true])(
    'compare the last use of an old secret with its rotation after the new one was deleted; another was added: %p',
    async (isAdded) => {
      const { holder, made, now } = await keyOf('accessKeys');
      const { accessKeys } = at.management;
      const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      await accessKeys.addPublicKey(holder.owner, made.id, jwk);
      at.clock.advance(90 * 86_400_000);
      const { key } = await accessKeys.rotate(holder.owner, made.id, 7 * 86_400);
      const rotatedAt = at.clock.now();
      at.clock.advance(7_200_000);
      await accessKeys.deleteSecret(holder.owner, made.id, key.secrets[0]?.id ?? '');
      if (isAdded) await accessKeys.addSecret(holder.owner, made.id);
      const view = await now();
      const used = (time: number) => ({
        ...view,
        secrets: view.secrets.map((one) => (one.hint === made.hint ? { ...one, lastUsedAt: new Date(time) } : one)),
      });
      const text = async (time: number) => (await page('accessKeys', holder, used(time))).replace(/<[^>]+>/g, '');
      expect(await text(rotatedAt - 3_600_000)).toContain('It has not been used since the rotation (2 hours ago).');
      expect(await text(rotatedAt + 3_600_000)).toContain('It has been used since the rotation (2 hours ago).');
      expect(await text(rotatedAt)).toContain('This key was rotated 2 hours ago.');
    },
  );

  it('have their tokens revoked', async () => {
    const { holder, made, post } = await keyOf('accessKeys');
    await expectDone(
      await post('/revoke-tokens', { version: '1' }),
      holder,
      `All tokens of the key “${made.id}” were revoked`,
    );
    const record = await at.store.resolveAccessKey(made.id);
    expect(record?.tokensNotBefore).toEqual(expect.any(Date));
  });

  it('keep their tokens if they were changed after the page was opened', async () => {
    const { holder, made, post } = await keyOf('accessKeys');
    await at.management.accessKeys.edit(holder.owner, made.id, { version: 1, name: 'Batch' });
    expect((await post('/revoke-tokens', { version: '1' })).status).toBe(409);
    expect((await at.store.resolveAccessKey(made.id))?.tokensNotBefore).toBeNull();
  });
});

/** The page of a key as if its old text had been used: what is noted on the way of requests is the store's own test. */
async function page(keyType: KeyTypeName, holder: Holder, key: KeyView, path = ''): Promise<string> {
  shown[keyType] = key;
  return (await staged.browser(holder.owner).get(`${PATH[keyType]}/${key.id}${path}`)).body;
}

function seen(key: KeyView, now: number): KeyView {
  return usedAt(key, now - 1_000);
}

function usedAt(key: KeyView, time: number): KeyView {
  const [young, old] = key.secrets;
  if (young === undefined || old === undefined) throw new Error('it was not rotated');
  return { ...key, secrets: [young, { ...old, lastUsedAt: new Date(time), lastUsedFrom: '198.51.100.9' }] };
}

const shown: Partial<Record<KeyTypeName, KeyView>> = {};
const viewing = (keyType: KeyTypeName) => () => Promise.resolve(shown[keyType] as KeyView);
const staged = servedDashboard(at, {
  management: altered(at, ({ keys, accessKeys }) => ({
    keys: { ...keys, view: viewing('keys') },
    accessKeys: { ...accessKeys, view: viewing('accessKeys') },
  })),
});
