import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { writeAllSearchTexts } from '../../lib/store/migrations/0005-search.js';
import { listKeys } from '../../lib/store/repository/account-and-key-queries.js';
import { findPageInBatches } from '../../lib/store/repository/find-page-in-batches.js';
import type { KeyFilter } from '../../lib/store/repository/repository.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { accountRow, keyRow, secretRow } from '../support/stored-rows.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const KEYS = 9_000;
/** Rows that one statement looks at on SQLite. */
const BATCH = 1_000;

let stores: Stores | undefined;
let store: CredentialStore;

afterEach(async () => {
  await stores?.close();
});

const NEWEST_FIRST: KeyFilter['sort'] = { by: 'created', isDescending: true };

const find = async (filter: Partial<KeyFilter>): Promise<readonly string[]> => {
  const all: KeyFilter = {
    ...{ account: 'acme', kinds: ['secret', 'public'], now: 0, limit: 51, sort: NEWEST_FIRST },
    ...filter,
  };
  return (await store.repository.keys(all)).map(({ key }) => key.id);
};

describe.each(engines)('a search of keys in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
  });

  it.each([
    ['ÉCLAIR', ['éclair', 'Éclair', 'E\u0301CLAIR', 'CLAIR']],
    ['éclair', ['ÉCLAIR', 'e\u0301clair']],
    ['İstanbul', ['istanbul', 'ISTANBUL', 'ıstanbul']],
    ['ISPARTA ısparta', ['isparta', 'ISPARTA', 'ısparta', 'İSPARTA']],
    ['Straße', ['STRASSE', 'strasse', 'STRAẞE', 'straße']],
    ['ΟΔΟΣ', ['οδος', 'οδοσ', 'Οδός'.normalize('NFD').replace(/\p{M}/gu, '')]],
  ])('N33 %s is found in upper and lower case', async (name, texts) => {
    const { id } = await storeKey(store, { name });
    await storeKey(store, { name: 'other' });
    for (const text of texts) expect([text, await find({ text })]).toEqual([text, [id]]);
    expect(await find({ text: 'eclaire' })).toEqual([]);
  });

  it('letters of another width are the same letters', async () => {
    const { id } = await storeKey(store, { name: 'Ｓhop ﬁnder' });
    expect([await find({ text: 'SHOP FINDER' }), await find({ text: 'ｓｈｏｐ' })]).toEqual([[id], [id]]);
  });

  it('a text that is longer than every name is found nowhere', async () => {
    await storeKey(store, { name: 'Shop' });
    for (const text of ['%'.repeat(60_000), '\uFDFA'.repeat(2_000)]) expect(await find({ text })).toEqual([]);
    expect(await find({ text: 'shop' })).toHaveLength(1);
  });

  it.each([
    ['a_b', 'axb'],
    ['50%', '500'],
    ['a\\b', 'ab'],
  ])('a search for %s has no wildcards', async (name, similar) => {
    const { id } = await storeKey(store, { name });
    await storeKey(store, { name: similar });
    expect(await find({ text: name })).toEqual([id]);
  });

  it('N33 a search uses the new name and hints of a key after a change', async () => {
    const { id, text } = await storeKey(store, { name: 'before' });
    await store.repository.transact(async (tx) => {
      await tx.updateKey(id, 1, { name: 'ÄFTER' });
      await tx.insertSecret(secretRow(id, 'sk_another_9999'));
    });
    expect([await find({ text: 'before' }), await find({ text: 'äfter' })]).toEqual([[], [id]]);
    expect(await find({ text: '…9999' })).toEqual([id]);
    await store.repository.transact(async (tx) => {
      await tx.deleteSecret(secretRow(id, text).digest);
      await tx.updateKey(id, 2, {});
    });
    expect(await find({ text: text.slice(-4) })).toEqual([]);
  });

  it('N33 keys that are imported together are found by name, id and hint', async () => {
    const rows = [keyRow({ id: 'key_one', name: 'GRÜN' }), keyRow({ id: 'key_two' })];
    await store.repository.transact(async (tx) => {
      await tx.insertAccount(accountRow());
      await tx.insertKeys(
        rows,
        rows.map(({ id }) => secretRow(id, `${id}_9${id.length}`)),
      );
    });
    expect([await find({ text: 'grün' }), await find({ text: 'KEY_TWO' })]).toEqual([['key_one'], ['key_two']]);
  });
});

describe.each(sharedEngines)('many keys in %s', (engine) => {
  beforeEach(async () => {
    const made = await makeStores(engine);
    stores = made;
    store = await made.open();
    await store.repository.transact((tx) => tx.insertAccount(accountRow()));
    const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${KEYS - 1})`;
    const columns =
      'id, kind, account, environment, name, apis, channels, created_at, created_by, version, search_text';
    await onDatabase(
      made.url,
      `insert into keys (${columns}) ${numbers} select 'key_' || i, 'secret', 'acme', 'live', 'n' || i, '"all"', '"all"',
         i / 3, 'bulk', 1, 'N' || i from n`,
    );
  });

  it('N23 a search and a filter include every key of the account', async () => {
    expect(await find({ text: 'nowhere' })).toEqual([]);
    expect(await find({ text: 'N0' })).toEqual(['key_0']);
    expect(await find({ state: 'disabled' })).toEqual([]);
  });

  it('N23 pages of a filtered list hold every key that matches, once, in order', async () => {
    const seen: string[] = [];
    for (let after: KeyFilter['after']; ; ) {
      const page = await store.repository.keys({
        ...{ account: 'acme', kinds: ['secret', 'public'], now: 0, limit: 7, text: '99', sort: NEWEST_FIRST, after },
      });
      seen.push(...page.map(({ key }) => key.id));
      after = page.at(-1)?.place;
      if (after === undefined) break;
    }
    const numbers = Array.from({ length: KEYS }, (_, i) => i).filter((i) => String(i).includes('99'));
    expect(seen.length).toBe(numbers.length);
    expect(new Set(seen)).toEqual(new Set(numbers.map((i) => `key_${i}`)));
  });

  it('N23 15 concurrent searches do not block the event loop', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 15 }, () => find({ text: 'nowhere' })));
    isOver = true;
    if (engine === 'SQLite') expect(turns).toBeGreaterThanOrEqual((15 * KEYS) / BATCH);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('rows in batches', () => {
  it('N23 no statement reads more than a batch, and no row is left out', async () => {
    const spans: number[] = [];
    const found = await findPageInBatches<number, number>(
      {
        endOfBatch: async (after = -1, size) => (after + size < KEYS ? after + size : undefined),
        async matching(after = -1, end = KEYS - 1) {
          spans.push(end - after);
          return end === KEYS - 1 ? [end] : [];
        },
      },
      { after: undefined, limit: 51, batch: BATCH },
    );
    expect(found).toEqual([KEYS - 1]);
    expect(Math.max(...spans)).toBeLessThanOrEqual(BATCH);
    expect(spans.reduce((sum, span) => sum + span, 0)).toBe(KEYS);
  });
});

it('N33 keys from before the column was added are found after the migration', async () => {
  const engine = await openSqlite(':memory:');
  await engine.migrate();
  await engine.transact(async (tx) => {
    await tx.insertInto('accounts').values(accountRow()).execute();
    const keys = Array.from({ length: 1_001 }, (_, i) => keyRow({ id: `key_${i}`, name: `Schlüssel ${i}` }));
    for (const key of keys) await tx.insertInto('keys').values(key).execute();
    await tx.insertInto('secrets').values(secretRow('key_1000', 'sk_old_7777')).execute();
    await writeAllSearchTexts(tx);
  });
  const filter: KeyFilter = { account: 'acme', kinds: ['secret'], now: 0, limit: 51, sort: NEWEST_FIRST };
  for (const text of ['SCHLÜSSEL 1000', '…7777']) {
    const found = await listKeys(engine.lists, { ...filter, text }, engine);
    expect(found.map(({ key }) => key.id)).toEqual(['key_1000']);
  }
  await engine.close();
});
