import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { managed, OPERATOR } from '../../support/managed.js';
import { KEY_TYPES, madeKey, newForm, PATH } from '../key-forms.js';
import { fieldOf, MOUNT, servedDashboard, textIn } from '../served-dashboard.js';

const DAY = 86_400_000;
const at = managed('memory');
const dashboard = servedDashboard(at);

const textOf = (body: string) => body.replace(/<[^>]+>/g, '');
const jwk = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

const COMMON = ['rotate/confirm', 'disable/confirm', 'enable/confirm', 'end-grace/confirm', 'revoke', 'edit'];

describe('a confirmation page', () => {
  it.each(KEY_TYPES)('of a revoked key of %s says so instead of asking', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const own = `${PATH[keyType]}/${id}`;
    const browser = dashboard.browser(holder.owner);
    const more = keyType === 'keys' ? [] : ['secrets/confirm', 'revoke-tokens/confirm', 'secrets/delete/confirm'];
    await at.management[keyType].revoke(holder.owner, id);
    for (const page of [...COMMON, ...more]) {
      const { status, body } = await browser.get(`${own}/${page}`);
      expect([page, status, body]).toEqual([page, 409, expect.stringContaining('This key is revoked')]);
      expect(body).not.toMatch(/<main.*<form method="post"|accepted again|No changes were made/s);
    }
    const { status, body } = await browser.post(`${own}/revoke`, { confirm: 'x' });
    expect([status, body]).toEqual([409, expect.stringContaining('This key is revoked')]);
  });

  it('of a revoked access key does not ask whether to remove a public key', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    const { publicKeys } = await at.management.accessKeys.addPublicKey(holder.owner, id, jwk());
    await at.management.accessKeys.revoke(holder.owner, id);
    const path = `/access-keys/${id}/public-keys/remove/confirm?kid=${publicKeys[0]?.kid}`;
    expect((await dashboard.browser(holder.owner).get(path)).status).toBe(409);
  });

  it.each([
    [
      'an expired key',
      'This key has expired. To rotate it, first choose',
      'This key has expired. To add a client secret',
    ],
    ['a disabled account', 'You cannot rotate this key while', 'You cannot add a client secret while'],
  ])('of %s says what must be done first, and has no form', async (which, ofRotate, ofAdd) => {
    const holder = await at.account();
    const settings = { scopes: ['payments'], expiresAt: new Date(at.clock.now() + DAY) };
    const { key } = await at.management.accessKeys.create(holder.owner, settings);
    const browser = dashboard.browser(holder.owner);
    const own = `/access-keys/${key.id}`;
    const pages = async () => [
      (await browser.get(`${own}/rotate/confirm`)).body,
      (await browser.get(`${own}/secrets/confirm`)).body,
    ];
    for (const body of await pages()) expect(body).toContain(`<form method="post" action="${MOUNT}${own}/`);
    if (which === 'an expired key') at.clock.advance(DAY);
    else await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    const [rotate = '', add = ''] = await pages();
    expect([rotate, add]).toEqual([expect.stringContaining(ofRotate), expect.stringContaining(ofAdd)]);
    for (const body of [rotate, add]) {
      expect(body).not.toContain(`<form method="post" action="${MOUNT}${own}/`);
      expect(body).toContain(`<a class="button" href="${MOUNT}${own}">Go back</a>`);
    }
  });

  it('of a key with two client secrets, or with none, does not offer what management refuses', async () => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const { id } = await madeKey(holder, 'accessKeys');
    const browser = dashboard.browser(holder.owner);
    const page = async (path: string) => textOf((await browser.get(`/access-keys/${id}/${path}`)).body);
    const { key } = await accessKeys.addSecret(holder.owner, id);
    expect(await page('secrets/confirm')).toContain('To add another one, first delete one of them.');
    expect(await page('rotate/confirm')).toContain('To rotate it, first delete one of them.');
    await accessKeys.addPublicKey(holder.owner, id, jwk());
    for (const secret of key.secrets) await accessKeys.deleteSecret(holder.owner, id, secret.id);
    expect(await page('rotate/confirm')).toContain('no client secret to rotate. Add a client secret instead.');
    expect(await page('secrets/confirm')).toContain('The key will get a new client secret');
  });

  it('of a disabled key says that it is refused with every secret', async () => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const { id } = await madeKey(holder, 'accessKeys');
    const browser = dashboard.browser(holder.owner);
    const said = 'This key is disabled. Every request with it is refused until you enable it.';
    const paths = ['rotate/confirm', 'secrets/confirm', 'disable/confirm'];
    const page = async (path: string) => textOf((await browser.get(`/access-keys/${id}/${path}`)).body);
    for (const path of paths) expect(await page(path)).not.toContain(said);
    expect(await page('revoke-tokens/confirm')).toContain('Clients can still use it');
    await accessKeys.edit(holder.owner, id, { version: 1, disabled: true });
    for (const path of paths) expect(await page(path)).toContain(said);
    expect(await page('revoke-tokens/confirm')).not.toContain('Clients can still use it');
    await accessKeys.rotate(holder.owner, id, 3_600);
    expect(await page('end-grace/confirm')).toContain(said);
  });

  it('that revokes tokens does not say that a disabled account can obtain new ones', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    const { body } = await dashboard.browser(holder.owner).get(`/access-keys/${id}/revoke-tokens/confirm`);
    expect(body).not.toContain('Clients can still use it');
  });
});

describe('the page with a new secret', () => {
  it('says that an expired key is refused with it', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + DAY) });
    at.clock.advance(DAY);
    const browser = dashboard.browser(holder.owner);
    const rotated = await browser.post(`/keys/${key.id}/rotate`, { version: '1', grace: '3600' });
    expect([rotated.status, textIn(rotated)]).toEqual([200, expect.stringMatching(/^sk_/)]);
    expect(textOf(rotated.body)).toContain(
      'This key has expired. Every request with it is refused until you choose a later expiration date.',
    );
  });

  it('says that a key that expired while it was disabled must also be enabled', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + DAY) });
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    at.clock.advance(DAY);
    const browser = dashboard.browser(holder.owner);
    const { body } = await browser.post(`/keys/${key.id}/rotate`, { version: '2', grace: '3600' });
    expect(textOf(body)).toContain(
      'This key has expired and is disabled. Every request with it is refused until you choose a later expiration date and enable the key.',
    );
  });

  it('of a disabled key calls no secret accepted', async () => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const browser = dashboard.browser(holder.owner);
    const rotated = await madeKey(holder, 'accessKeys');
    const added = await madeKey(holder, 'accessKeys');
    for (const { id } of [rotated, added]) await accessKeys.edit(holder.owner, id, { version: 1, disabled: true });
    const pages = [
      await browser.post(`/access-keys/${rotated.id}/rotate`, { version: '2', grace: '3600' }),
      await browser.post(`/access-keys/${added.id}/secrets`, { version: '2' }),
    ];
    for (const { body } of pages) {
      expect(textOf(body)).toContain('This key is disabled. Every request with it is refused until you enable it.');
      expect(body).not.toMatch(/is (?:still )?accepted/);
    }
  });

  it('sent again tells a Developer what a Developer can do, and of a revoked key nothing', async () => {
    const holder = await at.account();
    const form = newForm('keys');
    const again = async (member: typeof holder.owner) =>
      textOf((await dashboard.browser(member).post('/keys', form)).body);
    await again(holder.developer);
    expect(await again(holder.developer)).toContain('create another key, or ask an Owner to rotate this one.');
    expect(await again(holder.owner)).toContain('If you did not copy it, rotate the key.');
    const [key] = (await at.management.keys.list(holder.owner)).items;
    await at.management.keys.revoke(holder.owner, String(key?.id));
    const revoked = await again(holder.owner);
    expect(revoked).toContain('This key is revoked. Every request with it is refused.');
    expect(revoked).not.toContain('If you did not copy it');
  });
});

it('a form that revokes a key, sent twice, leads to the same page', async () => {
  const holder = await at.account();
  const { key } = await holder.key();
  const browser = dashboard.browser(holder.owner);
  const formId = fieldOf(await browser.get(`/keys/${key.id}/revoke`), 'formId') ?? '';
  const replies = [1, 2].map(() => () => browser.post(`/keys/${key.id}/revoke`, { formId, confirm: key.id }));
  for (const reply of replies) expect((await reply()).status).toBe(303);
});
