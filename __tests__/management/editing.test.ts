import { describe, expect, it } from '@jest/globals';
import type { AccessKeyEdit, KeyEdit } from 'keyward/management';
import { managed, OPERATOR, refusalOf, refusing } from '../support/managed.js';
import { START } from '../support/manual-clock.js';
import { engines } from '../support/test-stores.js';

const LATER = new Date(START + 10 ** 10);

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  describe('an edit', () => {
    it.each<[string, Partial<KeyEdit>]>([
      ['the name', { name: 'Till' }],
      ['the APIs', { apis: ['disputes'] }],
      ["the APIs to 'all'", { apis: 'all' }],
      ['the scopes', { scopes: ['payments:refund'] }],
      ['the scopes to none', { scopes: [] }],
      ['the channels', { channels: ['pc_1', 'pc_2'] }],
      ['the platform', { channels: ['pc_1'], platform: 'shop' }],
      ['the expiry', { expiresAt: LATER }],
    ])('changes %s, and nothing else', async (_what, edit) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const edited = await at.management.keys.edit(holder.owner, key.id, { version: 1, ...edit });
      expect(edited).toEqual({ ...key, ...edit, version: 2 });
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(edited);
    });

    it('can rename and disable a key whose account has lost an API of the key', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      await at.management.accounts.put(OPERATOR, holder.id, { apis: ['disputes'] });
      const edit = { name: 'Till', disabled: true };
      const edited = await at.management.keys.edit(holder.owner, key.id, { version: 1, ...edit });
      expect(edited).toMatchObject({ name: 'Till', state: 'disabled' });
    });

    it.each<[string, Partial<KeyEdit>]>([
      ['nothing', {}],
      ['what the key has already', { name: null, disabled: false, apis: ['payments'] }],
    ])('of %s changes nothing, with any version, and has no audit entry', async (_what, edit) => {
      const holder = await at.account();
      const { key } = await holder.key();
      for (const version of [0, 1, 7]) {
        expect(await at.management.keys.edit(holder.owner, key.id, { version, ...edit })).toEqual(key);
      }
      expect((await holder.story()).map(({ action }) => action)).toEqual(['key.create']);
    });

    it('removes settings that are null', async () => {
      const holder = await at.account();
      const { key } = await holder.key({ name: 'Till', scopes: ['payments'], expiresAt: LATER });
      const edit = { version: 1, name: null, scopes: null, expiresAt: null };
      expect(await at.management.keys.edit(holder.owner, key.id, edit)).toEqual({ ...key, ...edit, version: 2 });
    });

    it('keeps an expiry that has passed, and can postpone it', async () => {
      const holder = await at.account();
      const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + 1_000) });
      at.clock.advance(1_000);
      const { edit } = at.management.keys;
      const renamed = await edit(holder.owner, key.id, { version: 1, name: 'Till' });
      expect(renamed).toMatchObject({ state: 'expired', expiresAt: key.expiresAt, name: 'Till' });
      const { expiresAt } = key;
      const whole = await edit(holder.owner, key.id, { version: 2, name: 'Desk', expiresAt });
      expect(whole).toMatchObject({ state: 'expired', expiresAt, name: 'Desk' });
      expect(await edit(holder.owner, key.id, { version: 3, expiresAt: null })).toMatchObject({ state: 'active' });
    });

    it('disables and enables', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const { edit } = at.management.keys;
      const disabledAt = new Date(at.clock.now());
      const disabled = await edit(holder.owner, key.id, { version: 1, disabled: true });
      expect(disabled).toEqual({ ...key, state: 'disabled', disabledAt, version: 2 });
      at.clock.advance(1_000);
      // Since when it is disabled does not move.
      expect(await edit(holder.owner, key.id, { version: 2, disabled: true })).toMatchObject({ disabledAt });
      expect(await edit(holder.owner, key.id, { version: 2, name: 'Till' })).toMatchObject({ disabledAt });
      const enabled = await edit(holder.owner, key.id, { version: 3, disabled: false });
      expect(enabled).toEqual({ ...key, name: 'Till', version: 4 });
    });
  });

  describe('the scopes of an access key', () => {
    it.each<[string, Omit<AccessKeyEdit, 'version'>, object]>([
      ['fewer: the defaults that remain stay', { scopes: ['payments'] }, { defaultScopes: ['payments'] }],
      ['fewer: a default that is gone is none', { scopes: ['payments:refund'] }, { defaultScopes: [] }],
      [
        'more: the defaults stay',
        { scopes: ['payments', 'payments:refund', 'disputes'] },
        { defaultScopes: ['payments'] },
      ],
      ['the defaults alone', { defaultScopes: ['payments:refund'] }, { scopes: ['payments', 'payments:refund'] }],
      ['both', { scopes: ['disputes'], defaultScopes: ['disputes'] }, {}],
      ['neither', { name: 'Batch' }, { scopes: ['payments', 'payments:refund'], defaultScopes: ['payments'] }],
    ])('%s', async (_what, edit, more) => {
      const holder = await at.account();
      const settings = { scopes: ['payments', 'payments:refund'], defaultScopes: ['payments'] };
      const { key } = await at.management.accessKeys.create(holder.owner, settings);
      const edited = await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, ...edit });
      expect(edited).toEqual({ ...key, ...edit, ...more, version: 2 });
    });

    it('granted by default must be assigned', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey(['payments']);
      for (const edit of [{ defaultScopes: ['disputes'] }, { scopes: ['payments'], defaultScopes: ['disputes'] }]) {
        const doing = at.management.accessKeys.edit(holder.owner, key.id, { version: 1, ...edit });
        expect(await refusalOf(doing)).toMatchObject({
          status: 400,
          message: 'defaultScopes: the key does not have these scopes: disputes',
        });
      }
    });

    it('are at least one', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      const doing = at.management.accessKeys.edit(holder.owner, key.id, { version: 1, scopes: [] });
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'scopes'));
    });
  });

  describe('versions', () => {
    it('M37 two Owners edit the same version: one succeeds, the other gets a conflict', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const other = { ...holder.owner, id: 'other' };
      const ends = await Promise.allSettled(
        [holder.owner, other].map((owner) => at.management.keys.edit(owner, key.id, { version: 1, name: owner.id })),
      );
      const won = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
      const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(won).toHaveLength(1);
      expect(lost).toEqual([refusing(409, 'version_conflict')]);
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(won[0]);
      expect((await holder.story()).map(({ action, outcome }) => `${action} ${outcome}`).sort()).toEqual([
        'key.create done',
        'key.edit done',
        'key.edit refused',
      ]);
    });

    it.each([0, 2, -1, 2 ** 53 - 1])('M37 an edit of version %d, which does not exist', async (version) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const doing = at.management.keys.edit(holder.owner, key.id, { version, name: 'Till' });
      expect(await refusalOf(doing)).toEqual(refusing(409, 'version_conflict'));
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
    });

    it('are also increased by a rotation, so that an editor notices it', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const rotated = await at.management.keys.rotate(holder.owner, key.id);
      expect(rotated.key.version).toBe(2);
      const doing = at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Till' });
      expect(await refusalOf(doing)).toEqual(refusing(409, 'version_conflict'));
    });
  });

  describe('revoking', () => {
    it('is final: every later change is refused', async () => {
      const holder = await at.account();
      const [{ key }, { key: access }] = [await holder.key(), await holder.accessKey()];
      const { keys, accessKeys } = at.management;
      const [deleted, deletedAccess] = [
        await keys.revoke(holder.owner, key.id),
        await accessKeys.revoke(holder.owner, access.id),
      ];
      const secrets = key.secrets.map((secret) => ({ ...secret, state: 'ended' }));
      expect(deleted).toEqual({ ...key, secrets, state: 'revoked', revokedAt: new Date(at.clock.now()), version: 2 });
      for (const doing of [
        () => keys.edit(holder.owner, key.id, { version: 2, disabled: false }),
        () => keys.rotate(holder.owner, key.id),
        () => keys.endGrace(holder.owner, key.id),
        () => keys.revoke(holder.owner, key.id),
        () => accessKeys.edit(holder.owner, access.id, { version: 2, name: 'new' }),
        () => accessKeys.rotate(holder.owner, access.id),
        () => accessKeys.endGrace(holder.owner, access.id),
        () => accessKeys.addSecret(holder.owner, access.id),
        () => accessKeys.deleteSecret(holder.owner, access.id, String(access.secrets[0]?.id)),
        () => accessKeys.revoke(holder.owner, access.id),
      ]) {
        expect(await refusalOf(doing())).toEqual(refusing(409, 'revoked'));
      }
      expect(await keys.view(holder.owner, key.id)).toEqual(deleted);
      expect(await accessKeys.view(holder.owner, access.id)).toEqual(deletedAccess);
      expect((await holder.story()).filter(({ outcome }) => outcome === 'refused')).toHaveLength(10);
    });

    it('moves a key to the list of revoked keys', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const { key: staying } = await holder.key();
      const deleted = await at.management.keys.revoke(holder.owner, key.id);
      expect((await at.management.keys.list(holder.owner)).items).toEqual([staying]);
      expect((await at.management.keys.list(holder.owner, { state: 'revoked' })).items).toEqual([deleted]);
    });

    it('twice concurrently: the later one gets an error', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const ends = await Promise.allSettled([1, 2].map(() => at.management.keys.revoke(holder.owner, key.id)));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const [late] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(late).toMatchObject({ status: 409 });
    });
  });
});
