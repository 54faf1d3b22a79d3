import { describe, expect, it } from '@jest/globals';
import type { KeyEdit, KeySettings } from 'keyward/management';
import { managed, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

const KINDS = ['secret', 'public'] as const;
const KEY = { kind: 'secret', apis: ['payments'] } as const;

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  describe('values that the account does not have', () => {
    it.each<[string, string, Partial<KeySettings>]>([
      ['an API', 'apis', { apis: ['payments', 'reports'] }],
      ['an API, for a public key', 'apis', { kind: 'public', apis: ['reports'] }],
      ['a scope', 'scopes', { scopes: ['payments', 'disputes:evidence'] }],
      ['a channel', 'channels', { channels: ['pc_9'] }],
      ['a platform', 'platform', { platform: 'bazaar', channels: ['pc_1'] }],
    ])('M20 a Developer creates a key with %s', async (_what, field, settings) => {
      const holder = await at.account();
      const doing = at.management.keys.create(holder.developer, { ...KEY, ...settings });
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
      expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
    });

    it('M20 a Developer creates an access key with a scope', async () => {
      const holder = await at.account();
      const doing = at.management.accessKeys.create(holder.developer, { scopes: ['payments', 'payouts'] });
      expect(await refusalOf(doing)).toMatchObject({
        status: 400,
        message: 'scopes: the account is not entitled to "payouts"',
      });
    });

    it.each<[string, string, Partial<KeyEdit>]>([
      ['an API', 'apis', { apis: ['reports'] }],
      ['a scope', 'scopes', { scopes: ['payouts'] }],
      ['a channel', 'channels', { channels: ['pc_9'] }],
      ['a platform', 'platform', { platform: 'bazaar', channels: ['pc_1'] }],
    ])('M20 an Owner edits a key to have %s', async (_what, field, edit) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const doing = at.management.keys.edit(holder.owner, key.id, { version: key.version, ...edit });
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
    });

    it("a key with 'all' can be created in any account", async () => {
      const holder = await at.account({ apis: ['disputes'] });
      expect((await holder.key({ apis: 'all' })).key.apis).toBe('all');
    });
  });

  describe('a key for an e-commerce platform', () => {
    it.each(
      KINDS.flatMap((kind) => [
        { kind, channels: [] as string[] },
        { kind, channels: ['pc_1', 'pc_2'] },
      ]),
    )('S13 a $kind key with the channels $channels', async ({ kind, channels }) => {
      const holder = await at.account();
      const doing = at.management.keys.create(holder.owner, { ...KEY, kind, channels, platform: 'shop' });
      const refused = await refusalOf(doing);
      expect(refused).toEqual(refusing(400, 'invalid', 'channels'));
      expect(refused.message).toBe('channels: a key for an e-commerce platform must have exactly one channel');
    });

    it.each(KINDS)("S13 a %s key with 'all' channels, explicitly or by default", async (kind) => {
      const holder = await at.account({ channels: ['pc_1'] });
      for (const channels of ['all', undefined] as const) {
        const doing = at.management.keys.create(holder.owner, { ...KEY, kind, channels, platform: 'shop' });
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'channels'));
      }
    });

    it.each(KINDS)('S13 a %s key with one channel is created', async (kind) => {
      const holder = await at.account();
      const { key } = await holder.key({ kind, channels: ['pc_2'], platform: 'shop' });
      expect(key).toMatchObject({ kind, channels: ['pc_2'], platform: 'shop' });
    });

    it('S13 the same for an access key', async () => {
      const holder = await at.account();
      const settings = { scopes: ['payments'], platform: 'shop' };
      const doing = at.management.accessKeys.create(holder.owner, settings);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'channels'));
      await at.management.accessKeys.create(holder.owner, { ...settings, channels: ['pc_1'] });
    });

    it.each([[[]], [['pc_1', 'pc_2']], ['all' as const]])('S14 edited to have the channels %j', async (channels) => {
      const holder = await at.account();
      const { key } = await holder.key({ channels: ['pc_1'], platform: 'shop' });
      const doing = at.management.keys.edit(holder.owner, key.id, { version: 1, channels });
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'channels'));
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
    });

    it('S14 two parallel edits that together would break the rule: one succeeds', async () => {
      const holder = await at.account();
      const { key } = await holder.key({ channels: ['pc_1', 'pc_2'] });
      const edits: Partial<KeyEdit>[] = [{ channels: ['pc_3'], platform: 'shop' }, { channels: ['pc_1', 'pc_3'] }];
      const ends = await Promise.allSettled(
        edits.map((edit) => at.management.keys.edit(holder.owner, key.id, { version: 1, ...edit })),
      );
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const { channels, platform, version } = await at.management.keys.view(holder.owner, key.id);
      expect(version).toBe(2);
      expect([
        { channels: ['pc_3'], platform: 'shop' },
        { channels: ['pc_1', 'pc_3'], platform: null },
      ]).toContainEqual({ channels, platform });
    });

    it.each([[['pc_1', 'pc_2']], ['all' as const], [[]]])(
      'S14 assigned to the platform while its channels are %j',
      async (channels) => {
        const holder = await at.account();
        const { key } = await holder.key({ channels });
        const doing = at.management.keys.edit(holder.owner, key.id, { version: 1, platform: 'shop' });
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'channels'));
        expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
      },
    );

    it('can be moved to another channel, and removed from the platform', async () => {
      const holder = await at.account();
      const { key } = await holder.key({ channels: ['pc_1'], platform: 'shop' });
      const { edit } = at.management.keys;
      expect(await edit(holder.owner, key.id, { version: 1, channels: ['pc_2'] })).toMatchObject({
        channels: ['pc_2'],
      });
      const free = await edit(holder.owner, key.id, { version: 2, platform: null, channels: 'all' });
      expect(free).toMatchObject({ platform: null, channels: 'all', version: 3 });
    });

    it('S18 a duplicate channel', async () => {
      const holder = await at.account();
      for (const platform of ['shop', undefined]) {
        const doing = at.management.keys.create(holder.owner, { ...KEY, channels: ['pc_1', 'pc_1'], platform });
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'channels'));
      }
    });

    it.each(['an unknown channel', "another account's channel"])('S18 %s: one message for both', async (what) => {
      if (what !== 'an unknown channel') await at.account({ channels: ['pc_theirs'] });
      const holder = await at.account();
      const doing = at.management.keys.create(holder.owner, { ...KEY, channels: ['pc_theirs'] });
      const message = 'channels: the account is not entitled to "pc_theirs"';
      expect(await refusalOf(doing)).toEqual({ status: 400, code: 'invalid', field: 'channels', message });
    });
  });

  describe('values that the account has lost', () => {
    it.each<[string, Partial<KeyEdit>]>([
      ['renamed', { name: 'Till 2' }],
      ['disabled', { disabled: true }],
      ['given an end', { expiresAt: new Date(1_900_000_000_000) }],
      ['given less', { apis: ['payments'], scopes: ['payments'] }],
    ])('a key that had it can still be %s', async (_what, edit) => {
      const holder = await at.account();
      const { key } = await holder.key({ apis: ['payments', 'disputes'], scopes: ['payments', 'disputes'] });
      await at.management.accounts.put('operator', holder.id, { apis: ['payments'], scopes: ['payments'] });
      expect(await at.management.keys.edit(holder.owner, key.id, { version: 1, ...edit })).toMatchObject(
        viewAfter(edit),
      );
    });

    it('a key that had it cannot be given it again', async () => {
      const holder = await at.account();
      const { key } = await holder.key({ apis: ['payments', 'disputes'] });
      await at.management.accounts.put('operator', holder.id, { apis: ['payments'] });
      const doing = at.management.keys.edit(holder.owner, key.id, { version: 1, channels: ['pc_1'] });
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'apis'));
    });
  });
});

/** What a view says after an edit. */
function viewAfter({ disabled, ...rest }: Partial<KeyEdit>): object {
  return disabled === true ? { ...rest, state: 'disabled' } : rest;
}
