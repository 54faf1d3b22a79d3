import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { A5 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { onDatabase, WITHOUT_CONSTRAINTS } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { sharedEngines } from '../support/test-stores.js';

const presented = (text: string) =>
  ({ digest: digestOf(text), kind: 'secret', environment: 'live', reveal: () => text }) as const;

describe.each(sharedEngines)('a database in %s that has lost its constraints', (engine) => {
  let stores: Stores;
  let store: CredentialStore;
  let api: StoreApi;
  let events: Eavesdropper;

  beforeEach(async () => {
    events = eavesdrop();
    stores = await makeStores(engine);
    store = await stores.open();
    api = await serveStore(store);
  });

  afterEach(async () => {
    events.stop();
    await api.close();
    await stores.close();
  });

  it('P18 two rows for one digest: A5 and an event, even if one of them would be accepted', async () => {
    const [first, second] = [await storeKey(store), await storeKey(store)];
    await onDatabase(
      stores.url,
      ...WITHOUT_CONSTRAINTS,
      `insert into secrets (digest, key_id, hint, created_at) values ('${digestOf(first.text)}', '${second.id}', 'x', 0)`,
    );
    expect(await api.answer(first.text)).toEqual(A5);
    expect(events.heard('keyward:lookup-failure')).toMatchObject([{ detail: 'StoreError store_unusable' }]);
    await expect(Promise.resolve(store.resolveKey(presented(first.text)))).rejects.toMatchObject({
      code: 'store_unusable',
      message:
        'the table "secrets" has two rows with the same digest, so its primary key is missing; restore the database from a backup',
    });
    expect(await api.status(second.text)).toBe(200);
  });

  it('no position of the change feed: A5 and an event, not a refusal', async () => {
    const { text } = await storeKey(store);
    await onDatabase(stores.url, 'delete from feed_head');
    expect(await api.answer(text)).toEqual(A5);
    await expect(store.resolveAccessKey('ack_1')).rejects.toMatchObject({
      code: 'store_unusable',
      message: 'the table "feed_head" is empty; restore the database from a backup',
    });
    expect(events.heard('keyward:lookup-failure')).toMatchObject([{ detail: 'StoreError store_unusable' }]);
  });
});
