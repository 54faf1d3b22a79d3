import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createManagement, type Member } from 'keyward/management';
import { openStore, StoreError } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { makeSigningKey } from '../../lib/issuer/signing-keys/signing-key.js';
import { onLinux } from '../support/on-linux.js';
import { openFiles } from '../support/open-files.js';
import { fileOf, holdDatabase, onDatabase } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { engines, sharedEngines } from '../support/test-stores.js';

let stores: Stores;
afterEach(() => stores.close());

describe.each(sharedEngines)('a store that closes, on %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  it('writes uses that are not written yet', async () => {
    const store = await stores.open();
    const { text } = await storeKey(store);
    store.recordUse(digestOf(text), '192.0.2.1');
    await store.close();
    const rows = await onDatabase(stores.url, 'select last_used_from from secrets where last_used_at is not null');
    expect(rows).toEqual([{ last_used_from: '192.0.2.1' }]);
  });

  it('writes counts that are not written yet, and withdraws its issuers', async () => {
    const store = await stores.open();
    const { id } = await storeKey(store);
    await store.announceIssuer('ES256');
    store.usageOf?.(id).accepted();
    await store.close();
    const rows = await onDatabase(stores.url, 'select key_id, accepted, refused from usage');
    expect(rows.map((row) => ({ ...row, accepted: Number(row.accepted), refused: Number(row.refused) }))).toEqual([
      { key_id: id, accepted: 1, refused: 0 },
    ]);
    expect(await onDatabase(stores.url, 'select * from issuers')).toEqual([]);
  });

  it('does not wait for the lock of somebody else, and work that its callers wait for fails', async () => {
    const store = await stores.open();
    const { id, text } = await storeKey(store);
    const held = await holdDatabase(stores.url, ...(engine === 'PostgreSQL' ? ['lock table keys in share mode'] : []));
    let attempts = 0;
    const edit = store.repository.transact(async (tx) => {
      attempts += 1;
      return await tx.updateKey(id, 1, { name: 'changed' });
    });
    const failed = expect(edit).rejects.toMatchObject({ code: 'store_unavailable', message: 'the store is closed' });
    store.recordUse(digestOf(text), '192.0.2.1');
    store.usageOf?.(id).accepted();
    try {
      const timers = jest.spyOn(globalThis, 'setTimeout');
      const closed = store.close();
      const limit = timers.mock.calls.find(([, milliseconds]) => milliseconds === 4_000);
      timers.mockRestore();
      // SQLite lets nobody begin a transaction.
      await eventually(() => attempts >= (engine === 'PostgreSQL' ? 2 : 0));
      const [expire, , ...values] = limit ?? [];
      expire?.(...values);
      await Promise.all([closed, failed]);
    } finally {
      await held.commit();
    }
    const rows = await onDatabase(stores.url, 'select last_used_at from secrets where last_used_at is not null');
    expect(rows).toEqual([]);
  });

  it('that is read-only counts no requests, and records no last use', async () => {
    const { text } = await storeKey(await stores.open());
    const store = await stores.open({ readOnly: true });
    expect(store.usageOf).toBeUndefined();
    store.recordUse(digestOf(text), '192.0.2.1');
    await store.close();
    expect(await onDatabase(stores.url, 'select key_id from secrets where last_used_at is not null')).toEqual([]);
  });

  it('closes its connections and resolves even if its last writes fail', async () => {
    const store = await stores.open();
    await store.announceIssuer('ES256');
    await onDatabase(stores.url, 'drop table issuers');
    await expect(store.close()).resolves.toBeUndefined();
    await expect(store.ready()).resolves.toBe(false);
    expect(openFiles(fileOf(stores.url))).toEqual([]);
  });
});

describe.each(engines)('a closed store, on %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  it('is unavailable', async () => {
    const store = await stores.open();
    const { id } = await storeKey(store);
    await store.close();
    const { repository } = store;
    for (const call of [
      () => store.resolveKey({ digest: digestOf('sk') } as never),
      () => store.resolveAccessKey(id),
      () => store.firstUse('id', 60),
      () => store.listSigningKeys(),
      () => store.revokeToken(id, 'jti', new Date(2_000_000_000_000)),
      () => repository.transact(async (tx) => await tx.now()),
      () => repository.key(id),
      () => repository.analyze(),
    ]) {
      const error = await (async () => call())().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ code: 'store_unavailable', message: 'the store is closed' });
    }
    const { keys } = createManagement({ store });
    const member: Member = { id: 'ada', account: 'acme', permissions: ['owner'] };
    const unavailable = { status: 503, code: 'unavailable' };
    await expect(keys.list(member)).rejects.toMatchObject(unavailable);
    await expect(keys.create(member, { kind: 'secret', apis: ['payments'] })).rejects.toMatchObject(unavailable);
  });

  it('is unavailable to work that it does not complete before it closes', async () => {
    const store = await stores.open();
    const { id } = await storeKey(store);
    const start = () => [store.repository.key(id), store.repository.transact(async (tx) => await tx.lockKey(id))];
    const work = Array.from({ length: 8 }, start).flat();
    const closing = store.close();
    const ends = await Promise.allSettled([...work, ...start()]);
    await closing;
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons.filter((reason) => !(reason instanceof StoreError))).toEqual([]);
  });
});

describe('a store that cannot be opened', () => {
  beforeEach(async () => {
    stores = await makeStores('SQLite');
  });

  onLinux('leaves no file open where its encryption key is wrong', async () => {
    const first = await openStore(stores.url, { encryptionKey: Buffer.alloc(32, 1) });
    const key = await makeSigningKey('ES256', Date.now());
    await first.addSigningKey(key, undefined);
    await first.close();
    await expect(openStore(stores.url, { encryptionKey: Buffer.alloc(32, 2) })).rejects.toThrow(/encryptionKey/);
    expect(openFiles(fileOf(stores.url))).toEqual([]);
  });

  onLinux('leaves no file open where its file is damaged', async () => {
    const file = fileOf(stores.url);
    await (await openStore(stores.url)).close();
    writeFileSync(file, readFileSync(file).fill(0, 4_096, 8_192));
    await expect(openStore(stores.url)).rejects.toMatchObject({ code: 'store_unusable' });
    expect(openFiles(file)).toEqual([]);
  });

  onLinux('leaves no file open where an option is wrong', async () => {
    const options = { encryptionKey: 'short' };
    await expect(openStore(stores.url, options)).rejects.toThrow(/encryptionKey/);
    expect(openFiles(fileOf(stores.url))).toEqual([]);
  });
});
