import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type Holder, managed, refusalOf, refusing } from '../support/managed.js';
import { type ManagedApi, serveManaged } from '../support/managed-api.js';
import { engines } from '../support/test-stores.js';

const HOUR = 3_600;

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);
  let api: ManagedApi;

  beforeAll(async () => {
    api = await serveManaged(at.store, at.clock);
  });

  afterAll(() => api.close());

  /** Whether each of some Secrets buys a token. */
  async function buying(key: KeyView, ...secrets: readonly (string | undefined)[]): Promise<readonly boolean[]> {
    const bought = await Promise.all(secrets.map((secret) => api.buy(key.id, String(secret))));
    for (const { status, error } of bought) expect([200, 'invalid_client']).toContain(status === 200 ? 200 : error);
    return bought.map(({ status }) => status === 200);
  }

  const idsOf = ({ secrets }: KeyView) => secrets.map(({ id }) => id);

  describe('Secrets', () => {
    it('are two at most, and both buy tokens', async () => {
      const holder = await at.account();
      const { key, text } = await holder.accessKey();
      at.clock.advance(1_000);
      const added = await at.management.accessKeys.addSecret(holder.owner, key.id);
      expect(added.text).toMatch(/^[\w-]{86}$/);
      expect(added.key).toMatchObject({ version: 2, hint: `…${added.text?.slice(-4)}` });
      expect(added.key.secrets.map(({ retiresAt }) => retiresAt)).toEqual([null, null]);
      expect(await buying(key, text, added.text)).toEqual([true, true]);
      const third = await refusalOf(at.management.accessKeys.addSecret(holder.owner, key.id));
      expect(third).toEqual({
        ...{ status: 400, code: 'invalid', field: 'secrets' },
        message: 'secrets: an access key has at most 2; delete one first',
      });
      expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(added.key);
    });

    it('are deleted one by one, but for the last', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { text: second, key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const [newer = '', older = ''] = idsOf(two);
      const left = await at.management.accessKeys.deleteSecret(holder.owner, key.id, older);
      expect(left.secrets.map(({ id, retiresAt }) => [id, retiresAt])).toEqual([
        [newer, null],
        [older, new Date(at.clock.now())],
      ]);
      expect(await buying(key, first, second)).toEqual([false, true]);
      const last = await refusalOf(at.management.accessKeys.deleteSecret(holder.owner, key.id, newer));
      expect(last).toEqual(refusing(400, 'invalid', 'secret'));
      expect(last.message).toBe('secret: the last one cannot be deleted; delete the key');
      expect(await buying(key, second)).toEqual([true]);
    });

    it('the newer is deleted as well as the older', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { text: second, key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, idsOf(two)[0] ?? '');
      expect(await buying(key, first, second)).toEqual([true, false]);
    });

    it('the last one is that which stays, while another is in its grace', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { text: second, key: rolled } = await at.management.accessKeys.roll(holder.owner, key.id, HOUR);
      const [staying = '', retiring = ''] = idsOf(rolled);
      const doing = at.management.accessKeys.deleteSecret(holder.owner, key.id, staying);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'secret'));
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, retiring);
      expect(await buying(key, first, second)).toEqual([false, true]);
    });

    it('that are not there are not deleted', async () => {
      const holder = await at.account();
      const [{ key }, { key: other }] = [await holder.accessKey(), await holder.accessKey()];
      const { key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const [, gone = ''] = idsOf(two);
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, gone);
      for (const secret of [gone, idsOf(other)[0] ?? '', '', 'f'.repeat(16), undefined, '__proto__']) {
        const doing = at.management.accessKeys.deleteSecret(holder.owner, key.id, String(secret));
        expect(await refusalOf(doing)).toMatchObject({ status: 404, message: 'there is no such secret' });
      }
    });
  });

  describe('retired Secrets do not fill the two places', () => {
    it.each<[string, (holder: Holder, key: KeyView) => Promise<unknown>]>([
      ['a deleted one', deleteOne],
      ['one whose grace was ended', rollAndEnd],
      ['one whose grace is over', rollAndWait],
      ['one rolled without a grace', (holder, key) => at.management.accessKeys.roll(holder.owner, key.id)],
    ])('%s', async (_what, retire) => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      for (let i = 0; i < 3; i += 1) {
        await retire(holder, key);
        const { secrets } = await at.management.accessKeys.view(holder.owner, key.id);
        const live = secrets.filter(({ retiresAt }) => retiresAt === null || retiresAt.getTime() > at.clock.now());
        expect(live).toHaveLength(1);
        const added = await at.management.accessKeys.addSecret(holder.owner, key.id);
        expect(await buying(key, added.text)).toEqual([true]);
        await at.management.accessKeys.deleteSecret(holder.owner, key.id, live[0]?.id ?? '');
      }
    });

    it('one in its grace does', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      await at.management.accessKeys.roll(holder.owner, key.id, HOUR);
      const doing = at.management.accessKeys.addSecret(holder.owner, key.id);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'secrets'));
    });

    async function deleteOne(holder: Holder, key: KeyView): Promise<void> {
      const { key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, idsOf(two)[0] ?? '');
    }

    async function rollAndEnd(holder: Holder, key: KeyView): Promise<void> {
      await at.management.accessKeys.roll(holder.owner, key.id, HOUR);
      await at.management.accessKeys.endGrace(holder.owner, key.id);
    }

    async function rollAndWait(holder: Holder, key: KeyView): Promise<void> {
      await at.management.accessKeys.roll(holder.owner, key.id, 1);
      at.clock.advance(1_000);
    }
  });

  describe('rolling', () => {
    it('both buy within the grace; the instant after it the old one does not', async () => {
      const holder = await at.account();
      const { key, text: old } = await holder.accessKey();
      const { text: young } = await at.management.accessKeys.roll(holder.owner, key.id, HOUR);
      at.clock.advance(HOUR * 1_000 - 1);
      expect(await buying(key, old, young)).toEqual([true, true]);
      at.clock.advance(1);
      expect(await buying(key, old, young)).toEqual([false, true]);
    });

    it('inherits everything, and leaves the tokens alone', async () => {
      const holder = await at.account();
      const settings = {
        scopes: ['payments', 'disputes'],
        defaultScopes: ['disputes'],
        channels: ['pc_1'],
        name: 'Batch',
      };
      const { key, text } = await at.management.accessKeys.create(holder.owner, settings);
      const { token } = await api.buy(key.id, String(text));
      const rolled = await at.management.accessKeys.roll(holder.owner, key.id);
      const { secrets, hint, version, ...same } = key;
      expect(rolled.key).toMatchObject(same);
      expect(await api.status('/disputes', token)).toBe(200);
      expect(await api.buy(key.id, String(rolled.text))).toMatchObject({ scope: 'disputes' });
    });

    it('of a key whose newer Secret was deleted gives the older the grace', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const one = await at.management.accessKeys.deleteSecret(holder.owner, key.id, idsOf(two)[0] ?? '');
      expect(one.hint).toBe(key.hint);
      const { text: young } = await at.management.accessKeys.roll(holder.owner, key.id, HOUR);
      expect(await buying(key, first, young)).toEqual([true, true]);
      at.clock.advance(HOUR * 1_000);
      expect(await buying(key, first, young)).toEqual([false, true]);
    });

    it('of a key with two Secrets that stay is refused, since somebody uses each', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { text: second } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const rolling = at.management.accessKeys.roll(holder.owner, key.id, HOUR);
      await expect(rolling).rejects.toMatchObject({ status: 400, field: 'secrets' });
      expect(await buying(key, first, second)).toEqual([true, true]);
    });
  });
});
