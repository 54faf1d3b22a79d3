import type { CredentialStore, StoreOptions } from 'keyward/store';
import { openStore } from 'keyward/store';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import { listenTo } from './store-listener.js';
import { eventually } from './store-wait.js';
import { accountRow, addKey } from './stored-rows.js';
import { type EngineName, placesOf } from './test-stores.js';

/** The stores of one test, all on one place; closed, and the place removed, by `close`. */
export interface Stores {
  readonly url: string;
  /** Opens one more, here or by another URL of the place, and waits until it is ready. */
  open(options?: StoreOptions, url?: string): Promise<CredentialStore>;
  /** Opens one as `openStore` does, ready or not. */
  openAsIs(url: string, options?: StoreOptions): Promise<CredentialStore>;
  close(): Promise<void>;
}

export async function makeStores(engine: EngineName): Promise<Stores> {
  const { url, remove } = await placesOf[engine]();
  const opened: CredentialStore[] = [];
  async function openAsIs(at: string, options: StoreOptions = {}): Promise<CredentialStore> {
    const store = await openStore(at, options);
    opened.push(store);
    return store;
  }
  return {
    url,
    openAsIs,
    async open(options = {}, at = url) {
      const store = await openAsIs(at, options);
      await eventually(() => store.ready(), 20_000);
      return store;
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      await remove();
    },
  };
}

/** Adds a key and, where there is none, its account; reports nothing else. */
export async function storeKey(store: CredentialStore, traits: Parameters<typeof addKey>[1] = {}) {
  return await store.repository.transact(async (tx) => {
    await needAccount(tx, traits.account ?? 'acme');
    return await addKey(tx, traits);
  });
}

export async function needAccount(tx: RepositoryTransaction, id: string): Promise<void> {
  if ((await tx.account(id)) === undefined) await tx.insertAccount(accountRow({ id }));
}

/** Revokes a key, as management does. */
export async function revoke(store: CredentialStore, id: string): Promise<void> {
  await store.repository.transact(async (tx) => {
    const row = await tx.key(id);
    if (row === undefined) throw new Error('there is no such key');
    await tx.updateKey(id, row.version, { revoked_at: Date.now() });
    tx.notify(row.kind === 'access' ? { accessKey: id } : { key: id });
  });
}

/** Waits until the feed of a store is read, so that later changes are reported one by one. */
export async function feedOf(store: CredentialStore) {
  const heard = listenTo(store);
  await eventually(() => heard.currents() > 0);
  heard.changes.length = 0;
  return heard;
}
