import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { formatTime } from '../../../lib/dashboard/components/times.js';
import { managed, OPERATOR } from '../../support/managed.js';
import { KEY_TYPES, madeKey, PATH } from '../key-forms.js';
import { fieldOf, MOUNT, servedDashboard } from '../served-dashboard.js';

const DAY = 86_400_000;
const at = managed('memory');
const dashboard = servedDashboard(at);

const textOf = (body: string) => body.replace(/<[^>]+>/g, '');
/** The titles and values of the details. */
const factsIn = (body: string) =>
  Object.fromEntries(
    [...body.matchAll(/<div><dt>(.*?)<\/dt><dd>(.*?)<\/dd><\/div>\n/gs)]
      .map(([, title = '', value = '']) => [title, textOf(value)] as const)
      .filter(([title]) => !/last \d+ days/.test(title)),
  );
const jwk = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

describe('the details of a key', () => {
  it('are those of an API key with every setting', async () => {
    const holder = await at.account();
    const { key } = await holder.key({
      ...{ name: 'Till', environment: 'sandbox', apis: ['payments', 'disputes'], scopes: ['payments'] },
      ...{ channels: ['pc_1'], platform: 'shop', expiresAt: new Date('2031-01-01T00:00:00Z') },
      ...{ allowedAddresses: ['203.0.113.7', '2001:db8::/32'], limits: [{ requests: 100, seconds: 60 }] },
      metadata: { team: 'checkout', region: 'eu' },
    });
    const { body } = await dashboard.browser(holder.developer).get(`/keys/${key.id}`);
    expect(factsIn(body)).toEqual({
      ...{ Kind: 'Secret key', 'Key ID': expect.stringContaining(key.id), Environment: 'Sandbox' },
      ...{ APIs: 'payments, disputes', Scopes: 'payments', Channels: 'pc_1', 'E-commerce platform': 'shop' },
      ...{ 'Allowed IP addresses': '203.0.113.7, 2001:db8::/32', 'Rate limits': '100/1m' },
      ...{ 'Metadata: team': 'checkout', 'Metadata: region': 'eu' },
      Created: `${formatTime(key.createdAt)} (just now) by ${holder.developer.id}`,
      ...{ 'Last used': 'Never', Expires: expect.stringMatching(/^End of 31 Dec 2030, UTC \(in \d years\)$/) },
    });
    expect(/<h1>.*<\/h1>/.exec(body)?.[0]).toContain('<span class="badge sandbox">Sandbox</span>');
  });

  it.each([
    ['secret', 'Secret key', 'All'],
    ['public', 'Public key', 'None'],
  ] as const)('of a %s key with few settings leave out the others', async (kind, title, scopes) => {
    const holder = await at.account();
    const { key } = await holder.key({ kind });
    const { body } = await dashboard.browser(holder.developer).get(`/keys/${key.id}`);
    expect(factsIn(body)).toEqual({
      ...{ Kind: title, 'Key ID': expect.stringContaining(key.id), Environment: 'Live', APIs: 'payments' },
      ...{ Scopes: scopes, Channels: 'All', Created: expect.any(String), 'Last used': 'Never', Expires: 'Never' },
    });
    expect(/<h1>.*<\/h1>/.exec(body)?.[0]).not.toContain('sandbox');
  });

  it('are those of an access key, which has default scopes and no APIs', async () => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const scopes = ['payments', 'disputes'];
    const { key } = await accessKeys.create(holder.owner, { scopes, defaultScopes: ['disputes'] });
    await accessKeys.edit(holder.owner, key.id, { version: 1, requireConfirmation: 'mtls' });
    const { body } = await dashboard.browser(holder.developer).get(`/access-keys/${key.id}`);
    expect(factsIn(body)).toEqual({
      ...{ Kind: 'Access key', 'Client ID': expect.stringContaining(key.id), Environment: 'Live' },
      ...{ Scopes: 'payments, disputes', 'Default scopes': 'disputes', Channels: 'All' },
      ...{ 'Token binding': 'Client certificate', Created: expect.any(String), 'Last used': 'Never', Expires: 'Never' },
    });
  });

  it('mark what the account has lost', async () => {
    const holder = await at.account();
    const { key } = await holder.key({
      ...{ apis: ['payments', 'disputes'], scopes: ['payments', 'disputes'], channels: ['pc_1', 'pc_2'] },
    });
    const { accessKeys, accounts } = at.management;
    const client = await accessKeys.create(holder.owner, {
      scopes: ['payments', 'disputes'],
      defaultScopes: ['disputes'],
    });
    await accounts.put(OPERATOR, holder.id, { apis: ['payments'], scopes: ['payments'], channels: ['pc_2'] });
    const lost = '(no longer available to your account)';
    const browser = dashboard.browser(holder.owner);
    expect(factsIn((await browser.get(`/keys/${key.id}`)).body)).toMatchObject({
      ...{ APIs: `payments, disputes ${lost}`, Scopes: `payments, disputes ${lost}`, Channels: `pc_1 ${lost}, pc_2` },
    });
    expect(factsIn((await browser.get(`/access-keys/${client.key.id}`)).body)).toMatchObject({
      ...{ Scopes: `payments, disputes ${lost}`, 'Default scopes': `disputes ${lost}` },
    });
  });

  it('say when it was disabled and when it was revoked', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const factsNow = async () => factsIn((await dashboard.browser(holder.developer).get(`/keys/${key.id}`)).body);
    at.clock.advance(DAY);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    at.clock.advance(DAY);
    expect(await factsNow()).toMatchObject({
      Disabled: `${formatTime(new Date(at.clock.now() - DAY))} (yesterday)`,
    });
    await at.management.keys.revoke(holder.owner, key.id);
    at.clock.advance(DAY);
    expect(await factsNow()).toMatchObject({ Revoked: `${formatTime(new Date(at.clock.now() - DAY))} (yesterday)` });
  });
});

describe('the page of a key', () => {
  it('shows its ten newest entries, and links to all of them', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    for (let version = 1; version <= 12; version += 1)
      await at.management.keys.edit(holder.owner, key.id, { version, name: `Name ${version}` });
    const { body } = await dashboard.browser(holder.developer).get(`/keys/${key.id}`);
    expect(body.match(/<li><p><strong>/g)).toHaveLength(10);
    const link = new RegExp(`<a href="${MOUNT}(/audit\\?[^"]*)">View all`).exec(body)?.[1] ?? '';
    expect((await dashboard.browser(holder.developer).get(link)).body.match(/<li><p><strong>/g)).toHaveLength(13);
  });

  it.each(KEY_TYPES)('links an Owner of %s to the page of each action', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const url = `${MOUNT}${PATH[keyType]}/${id}`;
    const browser = dashboard.browser(holder.owner);
    const actions = async () =>
      [
        ...(
          /<div class="actions">.*?<\/details>/s.exec((await browser.get(`${PATH[keyType]}/${id}`)).body)?.[0] ?? ''
        ).matchAll(/<a class="([^"]*)" href="([^"]*)">/g),
      ].map(([, style, href = '']) => [style, href.replace(url, '')]);
    const expected = (toggle: string) => [
      ['button plain', '/rotate/confirm'],
      ['button plain', '/edit'],
      ['item', toggle],
      ...(keyType === 'keys'
        ? []
        : [
            ['item', '/secrets/confirm'],
            ['item', '/revoke-tokens/confirm'],
          ]),
      ['item danger', '/revoke'],
    ];
    expect(await actions()).toEqual(expected('/disable/confirm'));
    await at.management[keyType].edit(holder.owner, id, { version: 1, disabled: true });
    expect(await actions()).toEqual(expected('/enable/confirm'));
  });

  it.each(KEY_TYPES)('of a revoked one of %s has no action', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const service = at.management[keyType];
    await service.rotate(holder.owner, id, 3_600);
    if (keyType === 'accessKeys') await at.management.accessKeys.addPublicKey(holder.owner, id, jwk());
    const page = async () => (await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}`)).body;
    const links = (body: string) => body.match(new RegExp(`href="${MOUNT}${PATH[keyType]}/${id}/`, 'g')) ?? [];
    expect(links(await page()).length).toBeGreaterThan(4);
    await service.revoke(holder.owner, id);
    const body = await page();
    expect(links(body)).toEqual([]);
    expect(body).not.toContain(' disabled>');
    expect(body).not.toContain('data-public-key');
    if (keyType === 'accessKeys') expect(body).toContain('<h2>Public keys of the client</h2>');
  });

  it('of a revoked access key without public keys has no section for them', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    await at.management.accessKeys.revoke(holder.owner, id);
    expect((await dashboard.browser(holder.owner).get(`/access-keys/${id}`)).body).not.toContain(
      '<h2>Public keys of the client</h2>',
    );
  });

  it('tells a Developer that it expires, without a link to the edit page', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + DAY) });
    const link = `<a href="${MOUNT}/keys/${key.id}/edit">Choose`;
    const banners = async () =>
      Promise.all(
        [holder.developer, holder.owner].map(async (member) => {
          const { body } = await dashboard.browser(member).get(`/keys/${key.id}`);
          return [body.includes('<p class="banner">'), body.includes(link)];
        }),
      );
    expect(await banners()).toEqual([
      [true, false],
      [true, true],
    ]);
    at.clock.advance(DAY);
    expect(await banners()).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it('that was rotated and expires soon says both', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + DAY) });
    await at.management.keys.rotate(holder.owner, key.id, 3_600);
    const { body } = await dashboard.browser(holder.owner).get(`/keys/${key.id}`);
    expect(body.match(/<p class="banner">/g)).toHaveLength(2);
  });

  it('shows when each secret was created', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    at.clock.advance(DAY);
    await at.management.keys.rotate(holder.owner, key.id, 3_600);
    const { body } = await dashboard.browser(holder.owner).get(`/keys/${key.id}`);
    const created = [...body.matchAll(/<p>Created on (.*?)\.<\/p>/g)].map(([, time = '']) => textOf(time));
    expect(created).toEqual([
      `${formatTime(new Date(at.clock.now()))} (just now)`,
      `${formatTime(key.createdAt)} (yesterday)`,
    ]);
  });

  it('offers to delete the last client secret if a public key is left', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const href = `/access-keys/${key.id}/secrets/delete/confirm?secret=${key.secrets[0]?.id}`;
    const page = async () => (await dashboard.browser(holder.owner).get(`/access-keys/${key.id}`)).body;
    expect(await page()).not.toContain(href);
    await at.management.accessKeys.addPublicKey(holder.owner, key.id, jwk());
    expect(await page()).toContain(href);
    expect(await page()).toMatch(/This Ed25519 key was added on .*?\. Never used\./);
  });
});

describe('the forms on the page of an access key', () => {
  it('are sent to the key, with a form ID and the version', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    await at.management.accessKeys.edit(holder.owner, id, { version: 1, name: 'Batch' });
    const { body } = await dashboard.browser(holder.owner).get(`/access-keys/${id}`);
    const formAt = (path: string) =>
      new RegExp(`<form method="post" action="${MOUNT}/access-keys/${id}/${path}">.*?</form>`, 's').exec(body)?.[0] ??
      '';
    expect(formAt('public-keys')).toMatch(/<textarea [^>]*maxlength="12000"[^>]* required data-public-key/);
    const fieldsOf = (form: string) => [...form.matchAll(/ name="(\w+)"/g)].map(([, name]) => name);
    expect(fieldsOf(formAt('public-keys'))).toEqual(['csrf', 'formId', 'publicKey']);
    expect(fieldsOf(formAt('require-confirmation'))).toEqual(['csrf', 'formId', 'version', 'confirmation']);
    expect(fieldOf({ body: formAt('require-confirmation'), status: 200, headers: {} }, 'version')).toBe('2');
  });

  it.each([
    [null, 'none'],
    [true, 'any'],
    ['dpop', 'dpop'],
    ['mtls', 'mtls'],
  ] as const)('show the token binding %j as selected, and the form sets it', async (binding, value) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    const browser = dashboard.browser(holder.owner);
    const before = binding === 'dpop' ? 'mtls' : 'dpop';
    await at.management.accessKeys.edit(holder.owner, id, { version: 1, requireConfirmation: before });
    const form = { version: '2', confirmation: value };
    expect((await browser.post(`/access-keys/${id}/require-confirmation`, form)).status).toBe(303);
    expect(await at.management.accessKeys.view(holder.owner, id)).toMatchObject({ requireConfirmation: binding });
    const { body } = await browser.get(`/access-keys/${id}`);
    const options = [...body.matchAll(/<option value="(\w+)"( selected)?>/g)].map(([, name, selected]) => [
      name,
      selected !== undefined,
    ]);
    expect(options).toEqual(['none', 'any', 'dpop', 'mtls'].map((name) => [name, name === value]));
  });
});
