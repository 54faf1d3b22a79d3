import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { onDatabase } from '../support/store-database.js';
import { feedOf, makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

onServer('PostgreSQL that is read-only, as a server is that was failed over', () => {
  let stores: Stores;
  let role: string;
  let url: string;

  beforeEach(async () => {
    stores = await makeStores('PostgreSQL');
    await stores.open();
    role = `role_${randomBytes(6).toString('hex')}`;
    const isReadOnly = `alter role ${role} set default_transaction_read_only = on`;
    await onDatabase(POSTGRES ?? '', `create role ${role} superuser login password 'none'`, isReadOnly);
    const asRole = new URL(stores.url);
    Object.assign(asRole, { username: role, password: 'none' });
    url = asRole.href;
  });

  afterEach(async () => {
    await stores.close();
    await onDatabase(POSTGRES ?? '', `drop role ${role}`);
  });

  /** Opens connections of every use, so that each holds what the role was when it was opened. */
  async function useAll(store: CredentialStore): Promise<void> {
    const works = Array.from({ length: 6 }, async () => {
      await store.repository.account('none');
      await store.resolveAccessKey('none');
    });
    await Promise.all(works);
  }

  const makeWritable = () => onDatabase(POSTGRES ?? '', `alter role ${role} reset default_transaction_read_only`);
  const readOnlyError = { code: 'store_unavailable', driverCode: '25006' };

  it('N21 it becomes writable: earlier connections are dropped, and the next write succeeds', async () => {
    const store = await stores.openAsIs(url);
    await useAll(store);
    await expect(storeKey(store)).rejects.toMatchObject(readOnlyError);
    await useAll(store);
    await makeWritable();
    const { id } = await storeKey(store);
    expect((await store.repository.key(id))?.key.id).toBe(id);
  });

  it('N21 ready() is false while it can only be read, and true again within 5 s', async () => {
    const store = await stores.openAsIs(url);
    await useAll(store);
    expect(await Promise.all([store.ready(), store.ready()])).toEqual([false, false]);
    await makeWritable();
    expect(await eventually(() => store.ready())).toBeLessThan(5_000);
  });

  it('it becomes writable: ready() drops earlier connections, and is true at once', async () => {
    const store = await stores.openAsIs(url);
    await feedOf(store);
    await makeWritable();
    expect(await store.ready()).toBe(true);
  });

  it('N21 a store that is opened with readOnly is ready without writing, and records no last use', async () => {
    const store = await stores.openAsIs(url);
    const reader = await stores.open({ readOnly: true }, url);
    expect([await store.ready(), await reader.ready()]).toEqual([false, true]);
    await makeWritable();
    const { id } = await storeKey(store);
    const digest = (await store.repository.key(id))?.secrets[0]?.digest ?? '';
    reader.recordUse(digest, '198.51.100.1');
    await reader.close();
    expect((await store.repository.key(id))?.secrets[0]?.last_used_at).toBeNull();
  });
});
