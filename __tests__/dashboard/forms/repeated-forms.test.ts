import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type Holder, managed } from '../../support/managed.js';
import { engines } from '../../support/test-stores.js';
import { type KeyTypeName, madeKey, OPERATIONS, PATH } from '../key-forms.js';
import { type Form, fieldOf, MOUNT, servedDashboard, textIn } from '../served-dashboard.js';

const SHOWING = ['rotate', 'secrets'];

describe.each(engines.filter((engine) => engine !== 'SQLite'))('on %s', (engine) => {
  const at = managed(engine);
  const dashboard = servedDashboard(at);

  /** A key that each form can be sent for: with an old secret that is still accepted, or with a second one. */
  async function keyFor(operation: string, holder: Holder, keyType: KeyTypeName): Promise<KeyView> {
    const { id } = await madeKey(holder, keyType);
    const keys = at.management[keyType];
    if (operation === 'end-grace') return (await keys.rotate(holder.owner, id, 3_600)).key;
    if (operation === 'secrets/delete') return (await at.management.accessKeys.addSecret(holder.owner, id)).key;
    if (operation === 'enable') return await keys.edit(holder.owner, id, { version: 1, disabled: true });
    return await keys.view(holder.owner, id);
  }

  async function formFor(operation: string, keyType: KeyTypeName, form: (key: KeyView) => Form) {
    const holder = await at.account();
    const key = await keyFor(operation, holder, keyType);
    const browser = dashboard.browser(holder.owner);
    const path = `${PATH[keyType]}/${key.id}`;
    const formId = operation === 'edit' ? {} : { formId: randomUUID() };
    const send = () => browser.post(`${path}/${operation}`, { ...form(key), ...formId });
    const now = () => at.management[keyType].view(holder.owner, key.id);
    return { holder, browser, path, send, now, entries: (await holder.story()).length };
  }

  it.each(OPERATIONS)(
    'N36 $operation of $keyType, sent twice: the same response, one change, one audit entry',
    async (it) => {
      const { holder, send, now, entries } = await formFor(it.operation, it.keyType, it.form);
      const first = await send();
      const changed = await now();
      at.clock.advance(60_000);
      const again = await send();
      expect(await now()).toEqual(changed);
      const story = await holder.story();
      expect(story).toHaveLength(entries + 1);
      expect(story.map(({ outcome }) => outcome)).not.toContain('refused');
      if (SHOWING.includes(it.operation)) return;
      expect([first.status, again.status]).toEqual([303, 303]);
      expect(again.headers.location).toBe(first.headers.location);
    },
  );

  it.each(OPERATIONS)(
    'N36 $operation of $keyType, sent four times concurrently: one change, one audit entry',
    async (it) => {
      const { holder, send, entries } = await formFor(it.operation, it.keyType, it.form);
      const statuses = (await Promise.all([1, 2, 3, 4].map(send))).map(({ status }) => status);
      for (const status of statuses) expect([200, 201, 303]).toContain(status);
      const story = await holder.story();
      expect(story).toHaveLength(entries + 1);
      expect(story.map(({ outcome }) => outcome)).not.toContain('refused');
    },
  );

  it('N36 a public key that is added and removed, and a token binding: sent twice, one change and one audit entry', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'accessKeys');
    const browser = dashboard.browser(holder.owner);
    const now = () => at.management.accessKeys.view(holder.owner, id);
    const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();

    async function sendTwice(path: string, form: Form): Promise<readonly (string | undefined)[]> {
      const entries = (await holder.story()).length;
      const fields = { formId: randomUUID(), ...form };
      const first = await browser.post(`/access-keys/${id}${path}`, fields);
      const changed = await now();
      at.clock.advance(60_000);
      const again = await browser.post(`/access-keys/${id}${path}`, fields);
      expect([first.status, again.status, await now()]).toEqual([303, 303, changed]);
      expect(await holder.story()).toHaveLength(entries + 1);
      return [first.headers.location, again.headers.location];
    }

    const page = `${MOUNT}/access-keys/${id}?done=`;
    expect(await sendTwice('/public-keys', { publicKey })).toEqual(Array(2).fill(`${page}public-key-added`));
    const { version, publicKeys } = await now();
    const binding = { version: String(version), confirmation: 'dpop' };
    expect(await sendTwice('/require-confirmation', binding)).toEqual(Array(2).fill(`${page}edited`));
    // A reload of the form does not undo what another member changed since.
    const sent = { formId: randomUUID(), version: String(version + 1), confirmation: 'mtls' };
    expect((await browser.post(`/access-keys/${id}/require-confirmation`, sent)).status).toBe(303);
    const theirs = { version: version + 2, requireConfirmation: 'dpop' } as const;
    await at.management.accessKeys.edit(holder.owner, id, theirs);
    expect((await browser.post(`/access-keys/${id}/require-confirmation`, sent)).status).toBe(303);
    expect((await now()).requireConfirmation).toBe('dpop');
    const removal = { version: String(version + 3), kid: publicKeys[0]?.kid ?? '' };
    expect(await sendTwice('/public-keys/remove', removal)).toEqual(Array(2).fill(`${page}public-key-removed`));
    expect(await now()).toMatchObject({ publicKeys: [], requireConfirmation: 'dpop' });
  });

  it.each(OPERATIONS.filter(({ operation }) => SHOWING.includes(operation)))(
    'N36 $operation of $keyType, then reload: says when it was done, and shows no secret again',
    async (it) => {
      const { browser, path, send } = await formFor(it.operation, it.keyType, it.form);
      const secret = textIn(await send());
      const doneAt = new Date(at.clock.now());
      at.clock.advance(3 * 60_000);
      const again = await send();
      expect(again.status).toBe(200);
      expect(again.body).toContain(`<time datetime="${doneAt.toISOString().slice(0, 16)}Z">`);
      expect(again.body).toContain('3 minutes ago');
      expect(again.body).toContain('did not change anything');
      expect(again.body).not.toContain('No changes were made.');
      // An access key with two secrets cannot be rotated.
      const remedy = it.operation === 'secrets' ? 'delete it and add another one' : 'rotate the key';
      expect(again.body).toContain(`If you did not copy it, ${remedy}.`);
      for (const { body } of [again, await browser.get(path)]) expect(body).not.toContain(secret);
    },
  );

  it.each(OPERATIONS.filter(({ operation }) => operation !== 'edit'))(
    'N36 the form of $operation of $keyType has an id',
    async (it) => {
      const { browser, path, now } = await formFor(it.operation, it.keyType, it.form);
      const query = it.operation === 'secrets/delete' ? `?secret=${(await now()).secrets[0]?.id}` : '';
      const own = it.operation === 'revoke' ? `${path}/revoke` : `${path}/${it.operation}/confirm${query}`;
      const page = await browser.get(own);
      const [, form = ''] = page.body.split(`${path}/${it.operation}"`);
      expect(fieldOf({ ...page, body: form.split('</form>', 1).join() }, 'formId')).toMatch(/^[0-9a-f-]{36}$/);
      const next = await browser.get(own);
      expect(fieldOf(next, 'formId')).not.toBe(fieldOf(page, 'formId'));
    },
  );
});
