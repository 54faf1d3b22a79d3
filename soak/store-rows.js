/** Rows for a store, as management writes them. */
import { createHash, randomUUID } from 'node:crypto';
import { openStore } from 'keyward/store';
import { strangers } from './keys.js';
import { pause } from './store-clock.js';

const PER_TRANSACTION = 200;
const LOOK_EVERY = 100;

export function accountRow(id) {
  const lists = { apis: '"all"', scopes: '[]', channels: '"all"', platforms: '[]' };
  return { id, ...lists, created_at: 0, disabled_at: null, version: 1 };
}

export function keyRow(id, account, name = null) {
  return {
    ...{ id, kind: 'secret', account, environment: 'live', name },
    ...{ apis: '"all"', scopes: null, default_scopes: null, channels: '"all"', platform: null },
    ...{ created_at: 0, created_by: 'soak', expires_at: null, revoked_at: null, disabled_at: null },
    ...{ tokens_not_before: null, version: 1 },
  };
}

export function secretRow(digest, key) {
  return {
    ...{ digest, key_id: key, hint: 'sk_...soak', public_text: null },
    ...{ created_at: 0, retires_at: null, ended_at: null, last_used_at: null, last_used_from: null },
  };
}

export const digestOf = (text) => createHash('sha256').update(text).digest('hex');

/** Opens a store, and waits for its tables: others that make theirs in the same database may be in the way. */
export async function openReady(url) {
  const store = await openStore(url);
  while (!(await store.ready())) await pause(LOOK_EVERY);
  return store;
}

/** Makes the tables of a place, an account, and as many keys as are wanted; returns their ids and texts. */
export async function seedKeys(url, count) {
  const mint = strangers();
  const keys = Array.from({ length: count }, () => ({ id: `key_${randomUUID()}`, text: mint() }));
  const store = await openReady(url);
  await store.repository.transact((tx) => tx.insertAccount(accountRow('acme')));
  for (let i = 0; i < count; i += PER_TRANSACTION) {
    await store.repository.transact(async (tx) => {
      for (const { id, text } of keys.slice(i, i + PER_TRANSACTION))
        await tx.insertKey(keyRow(id, 'acme'), [secretRow(digestOf(text), id)]);
    });
  }
  await store.close();
  return keys;
}
