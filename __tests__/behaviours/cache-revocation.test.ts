import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import { apiKeys, authOf, type Change, type KeyRecord, requireBearer } from 'keyward';
import { A5, answerOf, T1 } from '../support/answers.js';
import { settled } from '../support/cache-bench.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock, type ManualClock, START } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';

let table: KeyTable;
let clock: ManualClock;
let keys: ReturnType<typeof apiKeys>;
let api: ServedApp;

beforeEach(async () => {
  table = createKeyTable();
  clock = createManualClock();
  keys = apiKeys({ resolver: table.watched, kinds: ['secret'], environment: 'live', clock, timeout: 60_000 });
  const hasty = apiKeys({ resolver: table.watched, kinds: ['secret'], environment: 'live', clock, timeout: 100 });
  api = await serveApp((app, handler) => {
    app.get('/', requireBearer({ accept: [keys] }), handler);
    app.get('/hasty', requireBearer({ accept: [hasty] }), handler);
    app.get('/greedy', requireBearer({ accept: [keys] }), grab, handler);
  });
});

afterEach(() => api.close());

const ask = async (key: string, path = '/') => answerOf(await api.ask(path, key));
const statusOf = async (key: string, path = '/') => (await api.ask(path, key)).status;

/** Revokes as a store does: the record first, then word to who watches. */
function revoke(key: string): void {
  table.edit(key, { revokedAt: new Date(clock.now()) });
  table.watched.onChange({ key: table.recordOf(key).id });
}

/** Lookups from now on are held; each answer stands as it was read when the lookup began. */
function holdLookups(key: string): Deferred<KeyRecord>[] {
  const held: Deferred<KeyRecord>[] = [];
  table.answer(() => {
    const read = table.recordOf(key);
    const answer = deferred<KeyRecord>();
    held.push({ ...answer, resolve: () => answer.resolve(read) });
    return answer.promise;
  });
  return held;
}

/** A handler that helps itself to another API, in every way there is. */
const grab: RequestHandler = (req, _res, next) => {
  const principal = authOf(req);
  Reflect.set(principal, 'apis', 'all');
  Reflect.set(principal.apis as string[], 0, 'disputes');
  Reflect.defineProperty(principal.apis as string[], '1', { value: 'disputes' });
  Reflect.setPrototypeOf(principal, { apis: 'all' });
  next();
};

const nothing = undefined as unknown as KeyRecord;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settled();
}

describe('revocation in one process', () => {
  it('X01 a cached key is refused from the first request after revoke()', async () => {
    const key = table.add();
    for (const status of [200, 200]) expect(await statusOf(key)).toBe(status);
    revoke(key);
    expect(await ask(key)).toEqual(T1);
    const later = await api.askPipelined(Array.from({ length: 100 }, () => ['/', key] as const));
    expect(later).toEqual(Array(100).fill(T1));
    expect(api.handled()).toBe(2);
  });

  it('X04 a lookup read "active", the revocation commits, its message comes, the lookup returns', async () => {
    const key = table.add();
    const held = holdLookups(key);
    const answer = ask(key);
    await until(() => held.length === 1);
    revoke(key);
    held[0]?.resolve(nothing);
    await until(() => held.length === 2);
    held[1]?.resolve(nothing);
    expect(await answer).toEqual(T1);
    expect(await ask(key)).toEqual(T1);
    expect(api.handled()).toBe(0);
  });

  it('X05 a key that was looked up before it exists is accepted within a second of its creation', async () => {
    const key = table.add();
    table.answer(() => undefined);
    expect(await ask(key)).toEqual(T1);
    table.answer(undefined);
    table.watched.onChange({ key: table.recordOf(key).id });
    clock.advance(1_000);
    expect(await statusOf(key)).toBe(200);
  });

  it('X18 a resolver slower than the timeout: A5, and changes since then invalidate its late answer', async () => {
    const key = table.add();
    const held = holdLookups(key);
    expect(await ask(key, '/hasty')).toEqual(A5);
    revoke(key);
    held[0]?.resolve(nothing);
    await until(() => held.length === 2);
    held[1]?.resolve(nothing);
    await settled();
    table.answer(undefined);
    expect(await ask(key, '/hasty')).toEqual(T1);
    expect([held.length, api.handled()]).toEqual([2, 0]);
  });

  it('X18 its late answer is used if nothing changed: no further lookup', async () => {
    const key = table.add();
    const held = holdLookups(key);
    expect(await ask(key, '/hasty')).toEqual(A5);
    held[0]?.resolve(nothing);
    await settled();
    expect(await statusOf(key, '/hasty')).toBe(200);
    expect(held).toHaveLength(1);
  });
});

describe('revocation is final, whatever the store returns later', () => {
  it('X28 revoked twice', async () => {
    const key = table.add();
    expect(await statusOf(key)).toBe(200);
    for (const _time of [1, 2]) {
      revoke(key);
      expect(await ask(key)).toEqual(T1);
    }
  });

  it('X28 revocation removed', async () => {
    const key = table.add();
    revoke(key);
    expect(await ask(key)).toEqual(T1);
    table.edit(key, { revokedAt: null });
    for (const change of [{ key: table.recordOf(key).id }, { account: 'acc_1' }, 'all'] as const) {
      table.watched.onChange(change);
      expect(await ask(key)).toEqual(T1);
    }
  });

  it('X28 edited after it was revoked', async () => {
    const key = table.add();
    revoke(key);
    expect(await ask(key)).toEqual(T1);
    table.edit(key, { apis: ['payments'], expiresAt: new Date(START + 86_400_000), name: 'renamed' });
    table.watched.onChange({ key: table.recordOf(key).id });
    expect(await ask(key)).toEqual(T1);
  });
});

describe('changes of the feed', () => {
  const GARBAGE: readonly (readonly [string, unknown])[] = [
    ['that are garbage', 'garbage'],
    ['of a megabyte', { key: 'k'.repeat(1_000_000) }],
    ['of an unknown version', { version: 9, keys: ['key_1'] }],
    ['with a key id that is an object', { key: {} }],
    ['with a key id of "__proto__"', { key: '__proto__' }],
  ];

  it.each(GARBAGE)('X25 %s add nothing to a cache; at most they empty it', async (_what, message) => {
    const [good, revoked, unknown] = [table.add(), table.add({ revokedAt: new Date(START) }), table.add()];
    table.remove(unknown);
    const statuses = async () => [await statusOf(good), await statusOf(revoked), await statusOf(unknown)];
    expect(await statuses()).toEqual([200, 401, 401]);
    table.watched.onChange(message as Change);
    keys.invalidate(message as Change);
    expect(await statuses()).toEqual([200, 401, 401]);
    expect(({} as { key?: unknown }).key).toBeUndefined();
  });
});

describe('handlers that change a principal', () => {
  it('X24 a handler changes req.auth.apis: the next request is not affected', async () => {
    const key = table.add({ apis: ['payments'] });
    for (const path of ['/greedy', '/', '/greedy']) {
      expect(JSON.parse((await api.ask(path, key)).body).apis).toEqual(['payments']);
    }
    expect(table.lookups()).toBe(1);
  });
});
