import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { formatTime } from '../../../lib/dashboard/components/times.js';
import { managed, OPERATOR } from '../../support/managed.js';
import { KEY_TYPES, LIST, madeKey, newForm, PATH } from '../key-forms.js';
import { altered, fieldOf, MOUNT, servedDashboard, textIn } from '../served-dashboard.js';

const DAY = 86_400_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const at = managed('memory');
const dashboard = servedDashboard(at);

const titleIn = (body: string) => /<title>(.*?)<\/title>/.exec(body)?.[1];
const textOf = (body: string) => body.replace(/<[^>]+>/g, '');
const jwk = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

describe('a page that asks before a change', () => {
  const PAGES = [
    { path: '/rotate/confirm', action: '/rotate', tone: '' },
    { path: '/disable/confirm', action: '/disable', tone: ' class="danger"' },
    { path: '/enable/confirm', action: '/enable', tone: '' },
    { path: '/secrets/confirm', action: '/secrets', tone: '' },
    { path: '/revoke-tokens/confirm', action: '/revoke-tokens', tone: ' class="danger"' },
    { path: '/end-grace/confirm', action: '/end-grace', tone: ' class="danger"' },
    { path: '/public-keys/remove/confirm?kid=', action: '/public-keys/remove', tone: ' class="danger"' },
    { path: '/revoke', action: '/revoke', tone: ' class="danger"' },
  ];

  it.each(PAGES)('$path has a form with its own ID, and leads back to the key', async ({ path, action, tone }) => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const { id } = (await holder.accessKey()).key;
    await accessKeys.edit(holder.owner, id, { version: 1, name: 'Batch' });
    // A key with an old secret in its grace period cannot get another one.
    if (action !== '/secrets') await accessKeys.rotate(holder.owner, id, 3_600);
    const key = await accessKeys.addPublicKey(holder.owner, id, jwk());
    const browser = dashboard.browser(holder.owner);
    const query = path.endsWith('=') ? key.publicKeys[0]?.kid : '';
    const pages = await Promise.all([1, 2].map(() => browser.get(`/access-keys/${id}${path}${query}`)));
    const [page, again] = pages as [(typeof pages)[0], (typeof pages)[0]];
    const url = `${MOUNT}/access-keys/${id}`;
    expect(page.status).toBe(200);
    expect(page.body).toContain(`<form method="post" action="${url}${action}">`);
    expect(page.body).toContain(`<p class="crumb"><a href="${url}"><bdi>Batch</bdi></a></p>`);
    expect(page.body).toContain(`<a href="${url}">Cancel</a>`);
    expect(page.body).toContain(`<button${tone}>`);
    expect(titleIn(page.body)).toContain('Batch');
    expect(fieldOf(page, 'formId')).toMatch(UUID);
    expect(fieldOf(page, 'formId')).not.toBe(fieldOf(again, 'formId'));
    if (action !== '/revoke') expect(fieldOf(page, 'version')).toBe(String(key.version));
  });

  it('shows when each grace period would end, and marks the one for a leak, except for public keys', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    for (const kind of ['secret', 'public'] as const) {
      const { key } = await holder.key({ kind });
      const { body } = await browser.get(`/keys/${key.id}/rotate/confirm`);
      const ends = [...body.matchAll(/name="grace".*?<span>(.*?)<\/label>/g)].map(([, text = '']) => textOf(text));
      expect(ends).toHaveLength(5);
      expect(ends[0]).toMatch(kind === 'secret' ? /^Now \(.*leaked\)$/ : /^Now$/);
      for (const [index, milliseconds] of [3_600_000, DAY, 7 * DAY, 30 * DAY].entries())
        expect(ends[index + 1]).toContain(`(${formatTime(new Date(at.clock.now() + milliseconds))})`);
    }
  });

  it.each(KEY_TYPES)('of %s says when the newest secret was created, and nothing of a new key', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const path = `${PATH[keyType]}/${id}/rotate/confirm`;
    const browser = dashboard.browser(holder.owner);
    expect((await browser.get(path)).body).not.toContain('The newest');
    at.clock.advance(DAY);
    await at.management[keyType].rotate(holder.owner, id, 0);
    at.clock.advance(3 * 60_000);
    expect(textOf((await browser.get(path)).body)).toMatch(/The newest (?:client )?secret was created 3 minutes ago\./);
  });

  it('does not take a second client secret for a rotation', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    await at.management.accessKeys.addSecret(holder.owner, id);
    const { body } = await dashboard.browser(holder.owner).get(`/access-keys/${id}/disable/confirm`);
    expect(body).not.toContain('The newest');
  });

  it.each([
    ['secret', 'leaked'],
    ['public', 'misused'],
  ] as const)('says on Revoke when to rotate a %s key instead: if it was %s', async (kind, reason) => {
    const holder = await at.account();
    const { key } = await holder.key({ kind });
    const { body } = await dashboard.browser(holder.owner).get(`/keys/${key.id}/revoke`);
    expect(body).toContain(`If the key was ${reason} and you still need it, `);
  });

  it.each([
    ['access', true],
    ['secret', false],
  ] as const)(
    'says on Revoke that issued tokens stay valid when an %s key is rotated instead: %p',
    async (kind, said) => {
      const holder = await at.account();
      const { key } = kind === 'access' ? await holder.accessKey() : await holder.key();
      const path = kind === 'access' ? 'access-keys' : 'keys';
      const { body } = await dashboard.browser(holder.owner).get(`/${path}/${key.id}/revoke`);
      expect(body.includes('unless you also revoke the tokens')).toBe(said);
    },
  );

  it('says on Enable what will happen: accepted again, expired, or of a disabled account', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + DAY) });
    const browser = dashboard.browser(holder.owner);
    const effect = async () =>
      /<div class="panel ask">(.*?)<\/p>/s.exec((await browser.get(`/keys/${key.id}/enable/confirm`)).body)?.[1];
    expect(await effect()).toContain('accepted again');
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    expect(await effect()).toContain('Your account is disabled');
    at.clock.advance(DAY - 1);
    expect(await effect()).not.toContain('has expired');
    at.clock.advance(1);
    expect(await effect()).toContain('has expired');
  });

  it('says on Enable that a key for a platform needs another channel if the account has lost its own', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ platform: 'shop', channels: ['pc_1'] });
    const browser = dashboard.browser(holder.owner);
    const page = async () => (await browser.get(`/keys/${key.id}/enable/confirm`)).body;
    expect(await page()).toContain('accepted again');
    await at.management.accounts.put(OPERATOR, holder.id, { channels: ['pc_2'] });
    expect(await page()).toContain('requests with it will be refused until you choose another channel');
    expect(await page()).not.toContain('accepted again');
  });

  it('shows on the end of a grace period when it would end otherwise', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.rotate(holder.owner, key.id, 3_600);
    const until = formatTime(new Date(at.clock.now() + 3_600_000));
    at.clock.advance(60_000);
    const { body } = await dashboard.browser(holder.owner).get(`/keys/${key.id}/end-grace/confirm`);
    expect(textOf(body)).toContain(`If you do not end the grace period now, it will end on ${until} (in 59 minutes).`);
  });

  it('does not say that a secret of a disabled key will be accepted before the key is enabled', async () => {
    const holder = await at.account();
    const { id } = (await holder.key()).key;
    await at.management.keys.rotate(holder.owner, id, 3_600);
    await at.management.keys.edit(holder.owner, id, { version: 2, disabled: true });
    const browser = dashboard.browser(holder.owner);
    const text = async (path: string) => textOf((await browser.get(`/keys/${id}${path}`)).body);
    expect(await text('/end-grace/confirm')).not.toContain('accepted');
    expect(await text('/rotate/confirm')).toMatch(
      /If you enable the key, the current secret [^ ]+ will be accepted until the time that you choose below/,
    );
  });

  it('says why a rotation has no grace period: the key expires within an hour', async () => {
    const holder = await at.account();
    const { id } = (await holder.key()).key;
    const { keys } = at.management;
    const expiresAt = new Date(at.clock.now() + 3_600_000);
    await keys.edit(holder.owner, id, { version: 1, expiresAt });
    const browser = dashboard.browser(holder.owner);
    const page = async () => (await browser.get(`/keys/${id}/rotate/confirm`)).body;
    const body = await page();
    expect(textOf(body)).toContain(
      `There is no time for a grace period, because the key expires on ${formatTime(expiresAt)} (in 1 hour).`,
    );
    expect(body).toContain(`<a href="${MOUNT}/keys/${id}/edit">choose a later expiration date</a>`);
    expect(textOf(body)).toMatch(/The current secret [^ ]+ will no longer be accepted\./);
    await keys.edit(holder.owner, id, { version: 2, expiresAt: new Date(expiresAt.getTime() + 1) });
    expect(await page()).not.toContain('There is no time');
    await keys.edit(holder.owner, id, { version: 3, expiresAt: null });
    expect(await page()).not.toContain('There is no time');
  });

  it.each([
    [0, 'In the last 30 days, 0 requests were accepted.'],
    [1, 'In the last 30 days, 1 request was accepted.'],
    [2, 'In the last 30 days, 2 requests were accepted.'],
  ])('counts the requests with the key: %i', async (requests, sentence) => {
    accepted = requests;
    const holder = await at.account();
    const { key } = await holder.key();
    const text = textOf((await used.browser(holder.owner).get(`/keys/${key.id}/revoke`)).body);
    expect(text).toContain(sentence);
  });

  let accepted = 0;
  const used = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({
      keys: {
        ...keys,
        view: async (member, id) => ({ ...(await keys.view(member, id)), lastUsedAt: new Date(at.clock.now()) }),
      },
      recentUsage: (_member, ids) => Promise.resolve(new Map(ids.map((id) => [id, { accepted, refused: 0 }] as const))),
    })),
  });
});

describe('the page that deletes a client secret', () => {
  it('does not exist for a secret that has ended', async () => {
    const holder = await at.account();
    const { id, secrets } = (await holder.accessKey()).key;
    const browser = dashboard.browser(holder.owner);
    const path = `/access-keys/${id}/secrets/delete/confirm?secret=${secrets[0]?.id}`;
    expect((await browser.get(path)).status).toBe(200);
    await at.management.accessKeys.rotate(holder.owner, id, 3_600);
    expect((await browser.get(path)).status).toBe(404);
    at.clock.advance(3_600_000);
    expect((await browser.get(path)).status).toBe(404);
  });

  it('links to the page that revokes the tokens', async () => {
    const holder = await at.account();
    const { id, secrets } = (await holder.accessKey()).key;
    const browser = dashboard.browser(holder.owner);
    const { body } = await browser.get(`/access-keys/${id}/secrets/delete/confirm?secret=${secrets[0]?.id}`);
    expect(body).toContain(`<a href="${MOUNT}/access-keys/${id}/revoke-tokens/confirm">`);
  });

  it.each([
    ['only the other one', false, true, false],
    ['both', true, true, false],
    ['neither', false, false, false],
    ['only this one', true, false, true],
  ])('warns that the other one is unused if clients used %s', async (_what, isUsed, isOtherUsed, isWarned) => {
    const holder = await at.account();
    const { id } = (await holder.accessKey()).key;
    const { key } = await at.management.accessKeys.addSecret(holder.owner, id);
    const [other, secret] = key.secrets;
    if (other === undefined || secret === undefined) throw new Error('it has no second secret');
    const usedAt = (isUsed: boolean) => ({ lastUsedAt: isUsed ? new Date(at.clock.now()) : null });
    shown = {
      ...key,
      secrets: [
        { ...other, ...usedAt(isOtherUsed) },
        { ...secret, ...usedAt(isUsed) },
      ],
    };
    const { body } = await staged
      .browser(holder.owner)
      .get(`/access-keys/${id}/secrets/delete/confirm?secret=${secret.id}`);
    expect(body.includes('<p class="banner">')).toBe(isWarned);
  });

  let shown: KeyView;
  const staged = servedDashboard(at, {
    management: altered(at, ({ accessKeys }) => ({
      accessKeys: { ...accessKeys, view: () => Promise.resolve(shown) },
    })),
  });
});

describe('the page that revokes a key', () => {
  it('offers neither to disable nor to rotate a key that is not active', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const browser = dashboard.browser(holder.owner);
    const links = async () => {
      const { body } = await browser.get(`/keys/${key.id}/revoke`);
      return ['/disable/confirm', '/rotate/confirm'].map((path) =>
        body.includes(`href="${MOUNT}/keys/${key.id}${path}"`),
      );
    };
    expect(await links()).toEqual([true, true]);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    expect(await links()).toEqual([false, false]);
  });

  it('connects the error with the field, and announces it in the title', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    const browser = dashboard.browser(holder.owner);
    const field = /<input id="field-confirm"[^>]*>/;
    const page = (await browser.get(`/keys/${key.id}/revoke`)).body;
    expect([field.exec(page)?.[0], titleIn(page)]).toEqual([
      expect.not.stringContaining('aria-'),
      expect.stringMatching(/^Revoke Till/),
    ]);
    const wrong = (await browser.post(`/keys/${key.id}/revoke`, { confirm: 'x' })).body;
    expect([field.exec(wrong)?.[0], titleIn(wrong)]).toEqual([
      expect.stringContaining('aria-invalid="true" aria-describedby="confirm-error"'),
      expect.stringMatching(/^Error: Revoke Till/),
    ]);
    expect(wrong).toContain('id="confirm-error" role="alert"');
  });
});

describe('the page with a new secret', () => {
  it.each(KEY_TYPES)('of %s links to the page of the key', async (keyType) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const form = newForm(keyType);
    const made = await browser.post(PATH[keyType], form);
    const [key] = (await at.management[keyType].list(holder.owner)).items;
    for (const { body } of [made, await browser.post(PATH[keyType], form)])
      expect(body).toContain(`<a class="button" href="${MOUNT}${PATH[keyType]}/${key?.id}">`);
  });

  it('has a link that saves a secret, and the height of its text; a public key need not be saved', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const access = (await browser.post('/access-keys', newForm('accessKeys'))).body;
    expect(access).toMatch(/<a [^>]*download="[^"]*"[^>]* data-saves>/);
    expect(access).toMatch(/<textarea id="text" [^>]*rows="2"/);
    expect(access).toMatch(/<textarea id="identifier" [^>]*rows="1" readonly/);
    expect(textOf(access)).toMatch(/ sets the variables \w+_CLIENT_ID and \w+_CLIENT_SECRET\./);
    const open = await browser.post('/keys', newForm('keys', { kind: 'public', 'apis.of': [], 'scopes.of': [] }));
    expect(open.status).toBe(201);
    expect(open.body).not.toContain('data-saves');
  });

  it('leads to the secrets of the key after another one was added, and shows a client ID only of access keys', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const { id } = await madeKey(holder, 'accessKeys');
    const added = await browser.post(`/access-keys/${id}/secrets`, { version: '1' });
    expect(added.body).toContain(`<a href="${MOUNT}/access-keys/${id}#secrets">`);
    expect(added.body).toContain('id="identifier"');
    expect((await browser.post('/keys', newForm('keys'))).body).not.toContain('id="identifier"');
  });

  it('shows the settings only of a key that was created', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const { id } = await madeKey(holder, 'accessKeys');
    const rotated = await browser.post(`/access-keys/${id}/rotate`, { version: '1', grace: '0' });
    const added = await browser.post(`/access-keys/${id}/secrets`, { version: '2' });
    expect([textIn(rotated), textIn(added)]).not.toContain('');
    for (const { body } of [rotated, added]) expect(body).not.toContain('Environment: ');
  });

  it('sent again says how to get another secret: rotate a key, add a client secret; a public key needs none', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const twice = async (path: string, form: Parameters<typeof browser.post>[1]) => {
      await browser.post(path, form);
      return textOf((await browser.post(path, form)).body);
    };
    expect(await twice('/access-keys', newForm('accessKeys'))).toContain('rotate the key');
    const [key] = (await at.management.accessKeys.list(holder.owner)).items;
    const { formId = '' } = newForm('accessKeys');
    const added = await twice(`/access-keys/${key?.id}/secrets`, { formId, version: '1' });
    expect(added).toContain('delete it and add another one');
    expect(added).toContain('was already added');
    const open = await twice('/keys', newForm('keys', { kind: 'public', 'apis.of': [], 'scopes.of': [] }));
    expect(open).toContain('A public key is not a secret');
    expect(open).not.toContain('cannot be shown again');
  });
});

describe('a refused request', () => {
  it.each(KEY_TYPES)(
    'of a form of %s leads back to the list, one of a page does not speak of changes',
    async (keyType) => {
      const holder = await at.account();
      const reader = dashboard.browser({ ...holder.developer, permissions: ['reader'] });
      const posted = await reader.post(PATH[keyType], newForm(keyType));
      expect([posted.status, posted.body.includes('No changes were made.')]).toEqual([403, true]);
      expect(posted.body).toContain(`<a class="button" href="${MOUNT}${LIST[keyType]}">`);
      const opened = await reader.get(`${PATH[keyType]}/new`);
      expect([opened.status, opened.body.includes('No changes were made.')]).toEqual([403, false]);
    },
  );

  it.each(KEY_TYPES)('of the edit page of a revoked key of %s leads back to the key', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    await at.management[keyType].revoke(holder.owner, id);
    const { status, body } = await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}/edit`);
    expect([status, body]).toEqual([409, expect.stringContaining('<nav aria-label="Dashboard">')]);
    expect(body).toContain(`<a class="button" href="${MOUNT}${PATH[keyType]}/${id}">`);
    expect(body).not.toContain('No changes were made.');
  });

  it('of a form with other values says so, and a wrong method links to the list', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const form = newForm('keys');
    await browser.post('/keys', form);
    const other = await browser.post('/keys', { ...form, name: 'Other' });
    expect([other.status, other.body]).toEqual([409, expect.stringContaining('different values')]);
    const wrong = await browser.get('/keys');
    expect([wrong.status, wrong.body]).toEqual([405, expect.stringContaining(`<a href="${MOUNT}/">`)]);
  });

  it('of a path that does not exist links to the list, below the mount path', async () => {
    const { body } = await dashboard.browser((await at.account()).owner).get('/none');
    expect(body).toContain(`<a href="${MOUNT}/">Go to your keys</a>`);
  });
});
