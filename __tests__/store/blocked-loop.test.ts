import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoreWarning } from 'keyward/store';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { feedOf, makeStores, revoke, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { sharedEngines } from '../support/test-stores.js';

/** Holds the event loop, as a host that computes does. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe.each(sharedEngines)('a host that blocks the event loop for 2 s over a store in %s', (engine) => {
  let stores: Stores;
  let api: StoreApi;
  let events: Eavesdropper;

  beforeEach(async () => {
    events = eavesdrop();
    stores = await makeStores(engine);
  });

  afterEach(async () => {
    events.stop();
    await api.close();
    await stores.close();
  });

  it('F21 no cache entry expires, no outage is reported, and revocations still arrive', async () => {
    const store = await stores.open();
    api = await serveStore(store);
    const heard = await feedOf(store);
    const warnings = () => events.heard<StoreWarning>('keyward:store').map(({ warning }) => warning);
    if (engine === 'PostgreSQL') await eventually(() => warnings().includes('listening'));
    const { id, text } = await storeKey(store);
    await eventually(() => heard.changes.length === 2);
    expect(await api.status(text)).toBe(200);
    const lookups = api.lookups();
    const polls = heard.currents();

    block(2_000);
    expect(await api.status(text)).toBe(200);
    expect(api.lookups()).toBe(lookups);
    await eventually(() => heard.currents() > polls + 2);
    expect(warnings()).toEqual(engine === 'PostgreSQL' ? ['listening'] : []);
    await revoke(await stores.open(), id);
    await eventually(async () => (await api.status(text)) === 401);
  });
});
