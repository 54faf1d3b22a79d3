import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Feed } from '../../lib/store/change-feed.js';
import type { CredentialStore } from '../../lib/store/credential-store.js';
import type { Engine } from '../../lib/store/engine.js';
import { createSigningKeyCipher } from '../../lib/store/signing-keys/signing-key-cipher.js';
import { sqlStore } from '../../lib/store/sql-store.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';

describe('the readiness check of a store', () => {
  let engine: Engine;
  let store: CredentialStore;
  let checks: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];

  beforeEach(async () => {
    engine = await openSqlite(':memory:');
    checks = [];
    const check = () => new Promise<void>((resolve, reject) => checks.push({ resolve, reject }));
    store = storeOn({ ...engine, check });
  });

  afterEach(() => engine.close());

  it('is one for all callers at a time, whose result they share', async () => {
    const first = Array.from({ length: 50 }, () => store.ready());
    await new Promise(setImmediate);
    expect(checks).toHaveLength(1);
    checks[0]?.resolve();
    expect(new Set(await Promise.all(first))).toEqual(new Set([true]));

    const second = [store.ready(), store.ready()];
    expect(checks).toHaveLength(2);
    checks[1]?.reject(new Error('down'));
    expect(await Promise.all(second)).toEqual([false, false]);

    const third = store.ready();
    checks[2]?.resolve();
    expect(await third).toBe(true);
  });
});

describe('closing a store', () => {
  let engine: Engine;
  let writes: number;

  beforeEach(async () => {
    const database = await openSqlite(':memory:');
    await database.migrate();
    writes = 0;
    engine = {
      ...database,
      transact(work) {
        writes += 1;
        return database.transact(work);
      },
    };
  });

  afterEach(() => engine.close());

  it.each([false, true])('writes nothing if there is nothing to write; read-only: %s', async (readOnly) => {
    const store = storeOn(engine, readOnly);
    await store.resolveAccessKey('ack_1');
    await store.close();
    expect(writes).toBe(0);
  });

  it('writes the counts, and then deletes old ones', async () => {
    const store = storeOn(engine);
    await engine.lookups.insertInto('usage').values({ key_id: 'key_1', day: 1, accepted: 1, refused: 0 }).execute();
    store.usageOf?.('key_1').accepted();
    await store.close();
    expect(writes).toBeGreaterThan(0);
    expect(await engine.lookups.selectFrom('usage').select('day').where('day', '=', 1).execute()).toEqual([]);
  });
});

function storeOn(engine: Engine, readOnly = false): CredentialStore {
  return sqlStore({
    ...{ engine, feed: new Feed(engine), cipher: createSigningKeyCipher(undefined), readOnly },
    ...{ isPrepared: () => true, close: async () => undefined },
  });
}
