import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { backUp } from '../support/store-backup.js';
import { onDatabase } from '../support/store-database.js';
import type { HeardFeed } from '../support/store-listener.js';
import { feedOf, makeStores, revoke, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { sharedEngines } from '../support/test-stores.js';

describe.each(sharedEngines)('a backup that replaces an open store in %s', (engine) => {
  let stores: Stores;
  let store: CredentialStore;
  let writer: CredentialStore;
  let api: StoreApi;
  let heard: HeardFeed;
  let events: Eavesdropper;

  beforeEach(async () => {
    events = eavesdrop();
    stores = await makeStores(engine);
    [store, writer] = [await stores.open(), await stores.open()];
    api = await serveStore(store);
    heard = await feedOf(store);
  });

  afterEach(async () => {
    events.stop();
    await api.close();
    await stores.close();
  });

  const edit = async (on: CredentialStore, id: string, apis: string) =>
    on.repository.transact(async (tx) => {
      const row = await tx.key(id);
      await tx.updateKey(id, row?.version ?? 0, { apis });
      tx.notify({ key: id });
    });
  const apisOf = async (text: string) => (await api.principal(text)).apis;
  const position = async () => Number((await onDatabase(stores.url, 'select position from feed_head'))[0]?.position);
  const replacements = () =>
    events.heard<StoreWarning>('keyward:store').filter(({ warning }) => warning === 'replaced');

  /** Waits until so many changes, all of them the writer's, have been read from the feed. */
  async function haveRead(count: number): Promise<void> {
    await eventually(() => heard.changes.length === count);
    heard.changes.length = 0;
  }

  it.each(['X30', 'F22'])('%s an older one: the cache is dropped, and the restored data counts', async () => {
    const { id, text } = await storeKey(writer, { apis: '["payments"]' });
    const backup = await backUp(stores.url);
    await edit(writer, id, '["disputes"]');
    const later = await storeKey(writer);
    await haveRead(3);
    expect([await apisOf(text), await api.status(later.text)]).toEqual([['disputes'], 200]);

    await backup.restore();
    await eventually(async () => JSON.stringify(await apisOf(text)) === '["payments"]');
    expect(await api.status(later.text)).toBe(401);
    expect(heard.changes).toEqual(['all']);
    expect(replacements().length).toBeGreaterThan(0);

    await revoke(store, id);
    expect(await api.status(text)).toBe(401);
    const rows = await onDatabase(stores.url, `select revoked_at from keys where id = '${id}'`);
    expect(rows).toEqual([{ revoked_at: expect.anything() }]);
  });

  it('F22 one with newer changes, after the known position: the cache is dropped too', async () => {
    const { id, text } = await storeKey(writer, { apis: '["payments"]' });
    const backup = await backUp(stores.url);
    await edit(writer, id, '["disputes"]');
    await haveRead(2);
    expect(await apisOf(text)).toEqual(['disputes']);
    const before = await position();

    if (engine === 'SQLite') await moveOnApart(stores.url, id);
    else await moveOnInPlace();
    await eventually(async () => JSON.stringify(await apisOf(text)) === '["reports"]');
    expect(await position()).toBeGreaterThan(before);
    expect(heard.changes[0]).toBe('all');
    expect(replacements().length).toBeGreaterThan(0);

    /** Restored, and written to, before anybody reads it again. */
    async function moveOnApart(url: string, key: string): Promise<void> {
      const elsewhere = `${url}.backup`;
      const other = await stores.open({}, elsewhere);
      for (const apis of ['["a"]', '["b"]', '["reports"]']) await edit(other, key, apis);
      await other.close();
      await backup.restore();
    }

    async function moveOnInPlace(): Promise<void> {
      const steps = [1, 2, 3].map((step) => `select position + ${step}, 'new ${step}', 'key', '${id}' from feed_head`);
      await backup.restore(
        ...steps.map((step) => `insert into changes ${step}`),
        'update feed_head set position = position + 3',
        `update keys set apis = '["reports"]' where id = '${id}'`,
      );
    }
  });

  it('F22 a key that was revoked after the backup stays refused where this was known', async () => {
    const { id, text } = await storeKey(writer);
    const backup = await backUp(stores.url);
    await revoke(writer, id);
    await haveRead(2);
    expect(await api.status(text)).toBe(401);
    await backup.restore();
    await eventually(() => heard.changes.includes('all'));
    expect(await api.status(text)).toBe(401);
  });
});
