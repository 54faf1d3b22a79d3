import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { storeKeys } from '../../support/store-bulk.js';
import { onDatabase } from '../../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../../support/store-places.js';
import { secretRow } from '../../support/stored-rows.js';
import { sharedEngines } from '../../support/test-stores.js';

let stores: Stores;

afterEach(async () => {
  await stores.close();
});

describe.each(sharedEngines)('a database of an older version in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  /** Takes the last migrations back, as if an older version had made the database. */
  async function takeSortingBack(): Promise<void> {
    const indexes = ['api_keys', 'access_keys'].flatMap((keys) => [`${keys}_by_sort_name`, `${keys}_by_used_at`]);
    await onDatabase(
      stores.url,
      ...indexes.map((index) => `drop index ${index}`),
      'alter table keys drop column sort_name',
      'alter table keys drop column used_at',
      'alter table keys drop column tokens_superseded',
      'drop table ended_digests',
      "delete from migrations where name >= '0010_sorting'",
    );
  }

  it('gets the sort name of each key, and its last use by any of its secrets and public keys', async () => {
    const before = await stores.open();
    const unused = await storeKey(before, { name: 'Till' });
    const twoSecrets = await storeKey(before, { name: 'ÉCLAIR' });
    const both = await storeKey(before, { kind: 'access', name: 'Batch' });
    const publicKeyLater = await storeKey(before, { kind: 'access', name: null });
    await before.repository.transact(async (tx) => {
      await tx.insertSecret(secretRow(twoSecrets.id, 'sk_rotated', { last_used_at: 3_000 }));
    });
    const publicKey = (id: string, at: number) =>
      `insert into public_keys (key_id, kid, jwk, digest, created_at, last_used_at) values ('${id}', 'k', '{}', '${id}', 0, ${at})`;
    const used = (id: string, at: number) =>
      `update secrets set last_used_at = ${at} where key_id = '${id}' and last_used_at is null`;
    await onDatabase(
      stores.url,
      ...[used(twoSecrets.id, 2_000), used(both.id, 5_000), publicKey(both.id, 4_000)],
      ...[used(publicKeyLater.id, 6_000), publicKey(publicKeyLater.id, 7_000)],
    );
    await before.close();
    await takeSortingBack();

    await stores.open();
    const rows = await onDatabase(stores.url, 'select id, sort_name, used_at from keys order by used_at');
    expect(rows.map(({ id, used_at }) => [id, Number(used_at)])).toEqual([
      [unused.id, 0],
      [twoSecrets.id, 3_000],
      [both.id, 5_000],
      [publicKeyLater.id, 7_000],
    ]);
    const names = rows.map(({ sort_name }) => sort_name);
    expect(names).toEqual(['TILL', 'ÉCLAIR', 'BATCH', publicKeyLater.id.toUpperCase()]);
  });

  it('has every key updated, however many there are', async () => {
    const before = await stores.open();
    const keys = await storeKeys(before, stores.url, { count: 2_001 });
    await before.close();
    await takeSortingBack();
    await stores.open();
    const [found] = await onDatabase(stores.url, 'select count(*) as count from keys where sort_name = upper(id)');
    expect(Number(found?.count)).toBe(keys.length);
  });
});
