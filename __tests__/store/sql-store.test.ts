import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RevokedTokens } from '../../lib/credentials/records/read-revoked-tokens.js';
import { Feed } from '../../lib/store/change-feed.js';
import type { CredentialStore } from '../../lib/store/credential-store.js';
import type { Engine } from '../../lib/store/engine.js';
import { createSigningKeyCipher } from '../../lib/store/signing-keys/signing-key-cipher.js';
import { sqlStore } from '../../lib/store/sql-store.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { accountRow, keyRow } from '../support/stored-rows.js';

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

  it.each([false, true])('checks whether the database can be written, unless read-only: %s', async (readOnly) => {
    const options: unknown[] = [];
    const check: Engine['check'] = async (given) => void options.push(given);
    expect(await storeOn({ ...engine, check }, { readOnly }).ready()).toBe(true);
    expect(options).toEqual([{ write: !readOnly }]);
  });

  it('is false before the tables exist', async () => {
    const unprepared = storeOn({ ...engine, check: async () => undefined }, { isPrepared: false });
    expect(await unprepared.ready()).toBe(false);
  });

  it('is false once the store is being closed', async () => {
    const closed = storeOn({ ...engine, check: async () => undefined });
    const closing = closed.close();
    expect(await closed.ready()).toBe(false);
    await closing;
    expect(await closed.ready()).toBe(false);
  });
});

describe('the revoked tokens of an access key', () => {
  it('are all read again after the feed has reported that anything may have changed', async () => {
    const events = eavesdrop();
    const engine = await openSqlite(':memory:');
    await engine.migrate();
    const feed = new Feed(engine);
    const store = storeOn(engine, { feed });
    const key = keyRow({ id: 'ack_1', kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' });
    await engine.transact(async (tx) => {
      await tx.insertInto('accounts').values(accountRow()).execute();
      await tx
        .insertInto('keys')
        .values({ ...key, tokens_revoked: 1 })
        .execute();
      await tx
        .insertInto('revoked_tokens')
        .values({ key_id: 'ack_1', number: 1, jti: 'before', expires_at: Date.now() + 3_600_000 })
        .execute();
    });
    const revoked = async () => {
      const tokens = (await store.resolveAccessKey('ack_1'))?.revokedTokens as RevokedTokens | undefined;
      return ['before', 'after'].filter((jti) => tokens?.has(jti));
    };
    expect(await revoked()).toEqual(['before']);
    // As in a restored backup, where the same number belongs to another revocation.
    await engine.lookups.updateTable('revoked_tokens').set({ jti: 'after' }).execute();
    feed.notify({ accessKey: 'ack_1' });
    expect(await revoked()).toEqual(['before']);
    feed.notify('all');
    expect(await revoked()).toEqual(['before', 'after']);
    expect(events.heard('keyward:callback-failure')).toEqual([]);
    events.stop();
    await engine.close();
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
    const store = storeOn(engine, { readOnly });
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

describe('a store whose last writes hang', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['Date', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('waits for them for four seconds, and then closes', async () => {
    const engine = await openSqlite(':memory:');
    const store = storeOn({ ...engine, transact: () => new Promise(() => undefined) });
    store.recordUse('a digest', undefined);
    let isClosed = false;
    void store.close().then(() => {
      isClosed = true;
    });
    await jest.advanceTimersByTimeAsync(3_999);
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await new Promise(setImmediate);
    expect(isClosed).toBe(true);
    await engine.close();
  });
});

interface Traits {
  readonly feed?: Feed;
  readonly readOnly?: boolean;
  readonly isPrepared?: boolean;
}

function storeOn(
  engine: Engine,
  { feed = new Feed(engine), readOnly = false, isPrepared = true }: Traits = {},
): CredentialStore {
  return sqlStore({
    ...{ engine, feed, cipher: createSigningKeyCipher(undefined), readOnly },
    ...{ isPrepared: () => isPrepared, close: async () => undefined },
  });
}
