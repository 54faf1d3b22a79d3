/** Reads the names of keys, for pages that know only the ids of the keys, such as the audit log. */
import type { Kysely } from 'kysely';
import type { KeyRow, Tables } from '../tables.js';

export type KeyNameRow = Pick<KeyRow, 'id' | 'name'>;

/** Returns the names of keys of one account. Keys of other accounts are left out. */
export async function keyNames(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
): Promise<readonly KeyNameRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('keys')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .where('account', '=', account)
    .execute();
}
