import { describe, expect, it } from '@jest/globals';
import type { KeyView, Member } from 'keyward/management';
import { HAS, type Holder, managed, OPERATOR, refusalOf, refusing, storyOf } from '../support/managed.js';
import { START } from '../support/manual-clock.js';
import { engines } from '../support/test-stores.js';

const UUID = /^[0-9a-f-]{36}$/;
const SETTINGS = { kind: 'secret', apis: ['payments'] } as const;

/** The settings of a new key that was asked for with `SETTINGS` alone. */
const NEW = {
  ...{ name: null, apis: ['payments'], scopes: null, channels: 'all', platform: null, defaultScopes: null },
  ...{ expiresAt: null, disabled: false, tokensNotBefore: null },
  ...{ metadata: null, allowedAddresses: null, limits: null },
};

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  /** Does something once, and says what the audit says of it. */
  async function entryOf(holder: Holder, work: () => Promise<unknown>) {
    const before = await holder.story();
    at.clock.advance(1_000);
    await work();
    const after = await holder.story();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
    return after.at(-1);
  }

  /** What every entry says. */
  const by = (holder: Holder, role: 'owner' | 'developer', action: string) => ({
    id: expect.stringMatching(UUID),
    at: new Date(at.clock.now()),
    account: holder.id,
    actor: holder[role].id,
    role,
    action,
    origin: '203.0.113.7',
  });

  describe('a change has one entry', () => {
    it('M40 create', async () => {
      const holder = await at.account();
      const entry = await entryOf(holder, () => at.management.keys.create(holder.developer, SETTINGS));
      const [key] = (await at.management.keys.list(holder.owner)).items;
      expect(entry).toEqual({
        ...{ ...by(holder, 'developer', 'key.create'), outcome: 'done', subject: key?.id, before: null },
        after: { kind: 'secret', environment: 'live', ...NEW },
      });
    });

    it('create by a member with several permissions: the role is the highest one', async () => {
      const holder = await at.account();
      const member: Member = { ...holder.developer, permissions: ['developer', 'reader'] };
      const entry = await entryOf(holder, () => at.management.keys.create(member, SETTINGS));
      expect(entry).toMatchObject(by(holder, 'developer', 'key.create'));
    });

    it('M40 create an access key', async () => {
      const holder = await at.account();
      const scopes = ['payments'];
      const entry = await entryOf(holder, () => at.management.accessKeys.create(holder.owner, { scopes }));
      expect(entry).toMatchObject({
        ...by(holder, 'owner', 'access_key.create'),
        after: { kind: 'access', environment: 'live', ...NEW, apis: null, scopes, defaultScopes: scopes },
      });
    });

    it('M40 edit: the changed fields before and after', async () => {
      const holder = await at.account();
      const { key } = await holder.key({ name: 'Till', channels: ['pc_1'] });
      const edit = { name: 'Shop', channels: ['pc_1'], disabled: true, expiresAt: new Date(START + 10 ** 10) };
      const entry = await entryOf(holder, () => at.management.keys.edit(holder.owner, key.id, { version: 1, ...edit }));
      expect(entry).toEqual({
        ...{ ...by(holder, 'owner', 'key.edit'), outcome: 'done', subject: key.id },
        before: { name: 'Till', disabled: false, expiresAt: null },
        after: { name: 'Shop', disabled: true, expiresAt: edit.expiresAt.toISOString() },
      });
    });

    it('M40 edit the scopes of an access key, and revoke its tokens', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey(['payments', 'disputes']);
      const edit = { version: 1, scopes: ['payments'], revokeTokens: true };
      const entry = await entryOf(holder, () => at.management.accessKeys.edit(holder.owner, key.id, edit));
      const both = ['payments', 'disputes'];
      expect(entry).toMatchObject({
        ...{ action: 'access_key.edit', subject: key.id },
        before: { scopes: both, defaultScopes: both, tokensNotBefore: null },
        after: { scopes: ['payments'], defaultScopes: ['payments'], tokensNotBefore: expect.any(String) },
      });
    });

    it('M40 revoke', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const entry = await entryOf(holder, () => at.management.keys.revoke(holder.owner, key.id));
      expect(entry).toEqual({
        ...{ ...by(holder, 'owner', 'key.revoke'), outcome: 'done', subject: key.id, before: { revokedAt: null } },
        after: { revokedAt: entry?.at.toISOString() },
      });
    });

    it('M40 rotate: the hints of the secrets', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      const entry = await entryOf(holder, () => at.management.keys.rotate(holder.owner, key.id, 60));
      const { hint } = await at.management.keys.view(holder.owner, key.id);
      const acceptedUntil = new Date(at.clock.now() + 60_000).toISOString();
      expect(entry).toEqual({
        ...{ ...by(holder, 'owner', 'key.rotate'), outcome: 'done', subject: key.id },
        before: { secrets: [{ hint: key.hint, state: 'current', acceptedUntil: null }] },
        after: {
          secrets: [
            { hint, state: 'current', acceptedUntil: null },
            { hint: key.hint, state: 'grace_period', acceptedUntil },
          ],
        },
      });
    });

    it('M40 end a grace period, add a client secret, delete one', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      const { accessKeys } = at.management;
      await accessKeys.rotate(holder.owner, key.id, 60);
      let added: KeyView | undefined;
      const operations: Readonly<Record<string, () => Promise<unknown>>> = {
        end_grace: () => accessKeys.endGrace(holder.owner, key.id),
        add_secret: async () => {
          added = (await accessKeys.addSecret(holder.owner, key.id)).key;
        },
        delete_secret: () => accessKeys.deleteSecret(holder.owner, key.id, added?.secrets[0]?.id ?? ''),
      };
      for (const [name, operation] of Object.entries(operations)) {
        const entry = await entryOf(holder, operation);
        expect(entry).toMatchObject({
          ...{ ...by(holder, 'owner', `access_key.${name}`), outcome: 'done', subject: key.id },
          after: { secrets: expect.any(Array) },
        });
      }
    });

    it('M40 changes of an account by the operator, in the audit log of the account', async () => {
      const holder = await at.account();
      const story = async () => (await storyOf(at.management, holder.owner)).map(({ id, ...entry }) => entry);
      at.clock.advance(1_000);
      await at.management.accounts.put(OPERATOR, holder.id, { apis: ['payments'] });
      at.clock.advance(1_000);
      await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
      const [made, ...changes] = await story();
      const operator = { account: holder.id, actor: OPERATOR, role: 'operator', origin: null, subject: holder.id };
      expect(made).toMatchObject({ ...operator, action: 'account.put', before: null });
      expect(changes).toMatchObject([
        {
          ...operator,
          action: 'account.put',
          outcome: 'done',
          before: { apis: HAS.apis },
          after: { apis: ['payments'] },
        },
        {
          ...operator,
          action: 'account.disable',
          outcome: 'done',
          before: { disabled: false },
          after: { disabled: true },
        },
      ]);
    });
  });

  describe('a refusal has one entry', () => {
    const WHY = { forbidden: 403, not_found: 404, version_conflict: 409, revoked: 409 } as const;

    it.each(Object.entries(WHY))('M40 %s: %d', async (code, status) => {
      const holder = await at.account();
      const { key } = await holder.key();
      if (code === 'revoked') await at.management.keys.revoke(holder.owner, key.id);
      const member = code === 'forbidden' ? holder.developer : holder.owner;
      const id = code === 'not_found' ? `key_${'a'.repeat(26)}` : key.id;
      const edit = { version: code === 'version_conflict' ? 7 : 1, name: 'Shop' };
      const entry = await entryOf(holder, async () => {
        expect(await refusalOf(at.management.keys.edit(member, id, edit))).toEqual(refusing(status, code));
      });
      expect(entry).toEqual({
        ...by(holder, code === 'forbidden' ? 'developer' : 'owner', 'key.edit'),
        ...{ outcome: 'refused', subject: id, before: null, after: { refused: code } },
      });
    });

    it('a key value that was pasted as an id is not in the audit log', async () => {
      const holder = await at.account();
      const texts = [`key_live_${'4eC39HqLyjWDarjt'}`, 'key_sk_gvzqxlhkqmgadnjacyt2bxkgt4eC39'];
      for (const text of texts) await refusalOf(at.management.keys.view(holder.owner, text));
      expect(await holder.story()).toMatchObject([{ action: 'key.view', subject: null, after: { count: 2 } }]);
    });

    it('M40 a view by a member without a permission', async () => {
      const holder = await at.account();
      const member = { ...holder.developer, permissions: [] };
      for (const [action, look] of [
        ['key.list', () => at.management.keys.list(member)],
        ['key.view', () => at.management.keys.view(member, 'key_none')],
        ['access_key.list', () => at.management.accessKeys.list(member)],
        ['audit.list', () => at.management.audit(member)],
      ] as const) {
        const entry = await entryOf(holder, () => refusalOf(look()));
        expect(entry).toMatchObject({ action, role: null, outcome: 'refused', after: { refused: 'forbidden' } });
      }
    });

    it('an allowed view has no entry', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      await at.management.keys.list(holder.developer);
      await at.management.keys.view(holder.developer, key.id);
      await at.management.audit(holder.developer);
      expect(await holder.story()).toHaveLength(1);
    });
  });
});
