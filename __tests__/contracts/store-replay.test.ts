import { afterEach, describe, expect, it } from '@jest/globals';
import { replayId } from '../../lib/contracts/replay-cache.js';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const CLIENT = 'c'.repeat(43);
let stores: Stores;

afterEach(() => stores.close());

describe.each(engines)('used ids in %s', (engine) => {
  it('are new once', async () => {
    stores = await makeStores(engine);
    const store = await stores.open();
    expect(await store.firstUse(replayId(CLIENT, 'one'), 70)).toBe(true);
    expect(await store.firstUse(replayId(CLIENT, 'one'), 70)).toBe(false);
    expect(await store.firstUse(replayId(CLIENT, 'two'), 70)).toBe(true);
    expect(await store.firstUse(replayId(CLIENT, 'three'), 65.001)).toBe(true);
  });

  it('are new once in 50 concurrent uses', async () => {
    stores = await makeStores(engine);
    const store = await stores.open();
    const uses = await Promise.all(Array.from({ length: 50 }, () => store.firstUse(replayId(CLIENT, 'one'), 70)));
    expect(uses.filter((isNew) => isNew)).toHaveLength(1);
  });
});

describe.each(sharedEngines)('used ids in %s, with two processes', (engine) => {
  it('are stored for as many seconds as they say, and then deleted by any process', async () => {
    stores = await makeStores(engine);
    const one = await stores.open();
    const used = replayId(CLIENT, 'used');
    const before = Date.now();
    await one.firstUse(used, 70);
    const [row] = await onDatabase(stores.url, 'select expires_at from used_ids');
    const expiresAt = Number(row?.expires_at);
    expect(expiresAt).toBeGreaterThanOrEqual(before + 70_000 - 1);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 70_000 + 1);
    await onDatabase(stores.url, `insert into used_ids (id, expires_at) values ('expired', ${before - 1})`);
    // A process deletes expired ids at its first use.
    const other = await stores.open();
    await other.firstUse(replayId(CLIENT, 'other'), 70);
    await eventually(async () => {
      const ids = (await onDatabase(stores.url, 'select id from used_ids')).map(({ id }) => id);
      return ids.length === 2 && ids.includes(used) && !ids.includes('expired');
    });
    expect(await one.firstUse(used, 70)).toBe(false);
  });

  it('are new once', async () => {
    stores = await makeStores(engine);
    const [one, other] = await Promise.all([stores.open(), stores.open()]);
    const ids = Array.from({ length: 20 }, (_, index) => replayId(CLIENT, String(index)));
    const uses = await Promise.all(ids.flatMap((id) => [one.firstUse(id, 70), other.firstUse(id, 70)]));
    expect(uses.filter((isNew) => isNew)).toHaveLength(20);
  });
});
