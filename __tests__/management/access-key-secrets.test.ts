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

  /** Whether a token can be obtained with each of some client secrets. */
  async function obtainsTokens(key: KeyView, ...secrets: readonly (string | undefined)[]): Promise<readonly boolean[]> {
    const issued = await Promise.all(secrets.map((secret) => api.obtainToken(key.id, String(secret))));
    for (const { status, error } of issued) expect([200, 'invalid_client']).toContain(status === 200 ? 200 : error);
    return issued.map(({ status }) => status === 200);
  }

  const idsOf = ({ secrets }: KeyView) => secrets.map(({ id }) => id);

  describe('Secrets', () => {
    it('are at most two, and both obtain tokens', async () => {
      const holder = await at.account();
      const { key, text } = await holder.accessKey();
      at.clock.advance(1_000);
      const added = await at.management.accessKeys.addSecret(holder.owner, key.id);
      expect(added.secret).toMatch(/^[\w-]{86}$/);
      expect(added.key).toMatchObject({ version: 2, hint: `…${added.secret?.slice(-4)}` });
      expect(added.key.secrets.map(({ acceptedUntil }) => acceptedUntil)).toEqual([null, null]);
      expect(await obtainsTokens(key, text, added.secret)).toEqual([true, true]);
      const third = await refusalOf(at.management.accessKeys.addSecret(holder.owner, key.id));
      expect(third).toEqual({
        ...{ status: 400, code: 'invalid', field: 'secrets' },
        message: 'secrets: an access key can have at most 2 client secrets; delete one first',
      });
      expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(added.key);
    });

    it('are deleted one by one, except the last', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { secret: second, key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const [newer = '', older = ''] = idsOf(two);
      const left = await at.management.accessKeys.deleteSecret(holder.owner, key.id, older);
      expect(left.secrets.map(({ id, acceptedUntil }) => [id, acceptedUntil])).toEqual([
        [newer, null],
        [older, new Date(at.clock.now())],
      ]);
      expect(await obtainsTokens(key, first, second)).toEqual([false, true]);
      const last = await refusalOf(at.management.accessKeys.deleteSecret(holder.owner, key.id, newer));
      expect(last).toEqual(refusing(400, 'invalid', 'secret'));
      expect(last.message).toBe(
        'secret: the access key has no other credential, or only an old secret in its grace period; add a client secret or public key first, or revoke the access key',
      );
      expect(await obtainsTokens(key, second)).toEqual([true]);
    });

    it('both the newer and the older can be deleted', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { secret: second, key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, idsOf(two)[0] ?? '');
      expect(await obtainsTokens(key, first, second)).toEqual([true, false]);
    });

    it('the last one without an end cannot be deleted while another is in its grace period', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { secret: second, key: rotated } = await at.management.accessKeys.rotate(holder.owner, key.id, HOUR);
      const [staying = '', ending = ''] = idsOf(rotated);
      const doing = at.management.accessKeys.deleteSecret(holder.owner, key.id, staying);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'secret'));
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, ending);
      expect(await obtainsTokens(key, first, second)).toEqual([false, true]);
    });

    it('that do not exist cannot be deleted', async () => {
      const holder = await at.account();
      const [{ key }, { key: other }] = [await holder.accessKey(), await holder.accessKey()];
      const { key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const [, gone = ''] = idsOf(two);
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, gone);
      for (const secret of [gone, idsOf(other)[0] ?? '', '', 'f'.repeat(16), undefined, '__proto__']) {
        const doing = at.management.accessKeys.deleteSecret(holder.owner, key.id, String(secret));
        expect(await refusalOf(doing)).toMatchObject({ status: 404, message: 'the secret was not found' });
      }
    });
  });

  describe('superseded client secrets do not count towards the limit of two', () => {
    it.each<[string, (holder: Holder, key: KeyView) => Promise<unknown>]>([
      ['a deleted one', deleteOne],
      ['one whose grace was ended', rotateAndEnd],
      ['one whose grace is over', rotateAndWait],
      ['one rotated without a grace', (holder, key) => at.management.accessKeys.rotate(holder.owner, key.id)],
    ])('%s', async (_what, end) => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      for (let i = 0; i < 3; i += 1) {
        await end(holder, key);
        const { secrets } = await at.management.accessKeys.view(holder.owner, key.id);
        const live = secrets.filter(
          ({ acceptedUntil }) => acceptedUntil === null || acceptedUntil.getTime() > at.clock.now(),
        );
        expect(live).toHaveLength(1);
        const added = await at.management.accessKeys.addSecret(holder.owner, key.id);
        expect(await obtainsTokens(key, added.secret)).toEqual([true]);
        await at.management.accessKeys.deleteSecret(holder.owner, key.id, live[0]?.id ?? '');
      }
    });

    it('a client secret in its grace period does', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      await at.management.accessKeys.rotate(holder.owner, key.id, HOUR);
      const doing = at.management.accessKeys.addSecret(holder.owner, key.id);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'secrets'));
    });

    async function deleteOne(holder: Holder, key: KeyView): Promise<void> {
      const { key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      await at.management.accessKeys.deleteSecret(holder.owner, key.id, idsOf(two)[0] ?? '');
    }

    async function rotateAndEnd(holder: Holder, key: KeyView): Promise<void> {
      await at.management.accessKeys.rotate(holder.owner, key.id, HOUR);
      await at.management.accessKeys.endGrace(holder.owner, key.id);
    }

    async function rotateAndWait(holder: Holder, key: KeyView): Promise<void> {
      await at.management.accessKeys.rotate(holder.owner, key.id, 1);
      at.clock.advance(1_000);
    }
  });

  describe('rotation', () => {
    it('within the grace period both obtain tokens; after it, the old one does not', async () => {
      const holder = await at.account();
      const { key, text: old } = await holder.accessKey();
      const { secret: young } = await at.management.accessKeys.rotate(holder.owner, key.id, HOUR);
      at.clock.advance(HOUR * 1_000 - 1);
      expect(await obtainsTokens(key, old, young)).toEqual([true, true]);
      at.clock.advance(1);
      expect(await obtainsTokens(key, old, young)).toEqual([false, true]);
    });

    it('keeps all settings and tokens', async () => {
      const holder = await at.account();
      const settings = {
        scopes: ['payments', 'disputes'],
        defaultScopes: ['disputes'],
        channels: ['pc_1'],
        name: 'Batch',
      };
      const { key, secret: text } = await at.management.accessKeys.create(holder.owner, settings);
      const { token } = await api.obtainToken(key.id, String(text));
      const rotated = await at.management.accessKeys.rotate(holder.owner, key.id);
      const { secrets, hint, version, ...same } = key;
      expect(rotated.key).toMatchObject(same);
      expect(await api.status('/disputes', token)).toBe(200);
      expect(await api.obtainToken(key.id, String(rotated.secret))).toMatchObject({ scope: 'disputes' });
    });

    it('of a key whose newer client secret was deleted gives the older one the grace period', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { key: two } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const one = await at.management.accessKeys.deleteSecret(holder.owner, key.id, idsOf(two)[0] ?? '');
      expect(one.hint).toBe(key.hint);
      const { secret: young } = await at.management.accessKeys.rotate(holder.owner, key.id, HOUR);
      expect(await obtainsTokens(key, first, young)).toEqual([true, true]);
      at.clock.advance(HOUR * 1_000);
      expect(await obtainsTokens(key, first, young)).toEqual([false, true]);
    });

    it('of a key with two client secrets without an end is refused', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { secret: second } = await at.management.accessKeys.addSecret(holder.owner, key.id);
      const rotating = at.management.accessKeys.rotate(holder.owner, key.id, HOUR);
      await expect(rotating).rejects.toMatchObject({ status: 400, field: 'secrets' });
      expect(await obtainsTokens(key, first, second)).toEqual([true, true]);
    });
  });
});
