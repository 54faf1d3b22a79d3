import { afterEach, describe, expect, it } from '@jest/globals';
import { replayId } from '../../lib/contracts/replay-cache.js';
import { makeStores, type Stores } from '../support/store-places.js';
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
  });

  it('are new once in 50 concurrent uses', async () => {
    stores = await makeStores(engine);
    const store = await stores.open();
    const uses = await Promise.all(Array.from({ length: 50 }, () => store.firstUse(replayId(CLIENT, 'one'), 70)));
    expect(uses.filter((isNew) => isNew)).toHaveLength(1);
  });
});

describe.each(sharedEngines)('used ids in %s, with two processes', (engine) => {
  it('are new once', async () => {
    stores = await makeStores(engine);
    const [one, other] = await Promise.all([stores.open(), stores.open()]);
    const ids = Array.from({ length: 20 }, (_, index) => replayId(CLIENT, String(index)));
    const uses = await Promise.all(ids.flatMap((id) => [one.firstUse(id, 70), other.firstUse(id, 70)]));
    expect(uses.filter((isNew) => isNew)).toHaveLength(20);
  });
});
