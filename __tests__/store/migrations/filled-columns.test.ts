import { expect, it } from '@jest/globals';
import { addSearch } from '../../../lib/store/migrations/0005-search.js';
import { addSorting } from '../../../lib/store/migrations/0010-sorting.js';
import { openSqlite } from '../../../lib/store/sqlite/engine.js';
import { accountRow, keyRow, secretRow } from '../../support/stored-rows.js';

it('the migrations of search and sorting fill the columns of every key, whatever its id', async () => {
  const engine = await openSqlite(':memory:');
  await engine.migrate();
  const { lookups } = engine;
  const { schema } = lookups;
  for (const keys of ['api_keys', 'access_keys']) {
    for (const column of ['sort_name', 'used_at']) await schema.dropIndex(`${keys}_by_${column}`).execute();
  }
  for (const index of ['keys_of_account', 'keys_of_kind']) await schema.dropIndex(index).execute();
  for (const column of ['search_text', 'sort_name']) {
    await schema.alterTable('keys').dropColumn(column).execute();
  }
  await schema.alterTable('keys').dropColumn('used_at').execute();
  for (const index of ['keys_of_account', 'keys_of_kind']) {
    await schema.createIndex(index).on('keys').column('account').execute();
  }
  for (const index of ['audit_of_actor', 'audit_of_action', 'creations_by_time'])
    await schema.dropIndex(index).execute();
  await lookups.insertInto('accounts').values(accountRow()).execute();
  const ids = ['!', 'A', ...Array.from({ length: 999 }, (_, at) => `key_${at}`)];
  for (const [at, id] of ids.entries()) {
    const { used_at: _, ...row } = keyRow({ id, name: `Till ${at}` });
    await lookups
      .insertInto('keys')
      .values(row as typeof row & { used_at: number })
      .execute();
    const secret = secretRow(id, `sk_${id}`, { hint: `sk_...${at}`, last_used_at: at });
    await lookups.insertInto('secrets').values(secret).execute();
  }
  await addSearch(lookups, true);
  await addSorting(lookups, 'text');
  const rows = await lookups
    .selectFrom('keys')
    .select(['id', 'search_text', 'sort_name', 'used_at'])
    .orderBy('used_at')
    .execute();
  expect(rows).toEqual(
    ids.map((id, at) => {
      const search_text = [`Till ${at}`, id, `sk_...${at}`].join('\n').toUpperCase();
      return { id, search_text, sort_name: `TILL ${at}`, used_at: at };
    }),
  );
  await engine.close();
});
