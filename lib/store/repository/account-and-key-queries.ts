/** Reads accounts and keys for management, one by one or in pages. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine.js';
import type { AccountRow, KeyRow, PublicKeyRow, SecretRow, Tables } from '../tables.js';
import { findPageInBatches } from './find-page-in-batches.js';
import { type Comparison, comparePair } from './keyset-condition.js';
import type { AccountFilter, KeyFilter, KeyNameRow, KeyPlace, KeyWithSecrets, ListedKey } from './repository.js';
import { foldText } from './search-text.js';

export async function accountRow(db: Kysely<Tables>, id: string): Promise<AccountRow | undefined> {
  return await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * The columns of `KeyRow`. Other columns of the table, such as `search_text`, are left out, because only
 * SQL queries use them.
 */
export const KEY_COLUMNS = [
  'id',
  'kind',
  'account',
  'environment',
  'name',
  'apis',
  'scopes',
  'default_scopes',
  'channels',
  'platform',
  'created_at',
  'created_by',
  'expires_at',
  'revoked_at',
  'disabled_at',
  'tokens_not_before',
  'metadata',
  'allowed_addresses',
  'limits',
  'require_confirmation',
  'version',
  'used_at',
] as const satisfies readonly (keyof KeyRow)[];

/** Returns the accounts after the id `after`, ordered by id. */
export async function listAccounts(
  db: Kysely<Tables>,
  { after, limit }: AccountFilter,
): Promise<readonly AccountRow[]> {
  const query = db.selectFrom('accounts').selectAll().orderBy('id').limit(limit);
  return await (after === undefined ? query : query.where('id', '>', after)).execute();
}

export async function keyWithSecrets(db: Kysely<Tables>, id: string): Promise<KeyWithSecrets | undefined> {
  const key = await db.selectFrom('keys').select(KEY_COLUMNS).where('id', '=', id).executeTakeFirst();
  return key && { key, secrets: await secretsOf(db, [id]), publicKeys: await publicKeysOf(db, [key]) };
}

/** Returns the names of keys by their ids. Keys of other accounts are left out. */
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

/**
 * Returns the id of the key that a digest belongs to. The table `secrets` is read first: a digest that moves to
 * `ended_digests` between the two queries is then found in one of the tables.
 */
export async function keyOfDigest(db: Kysely<Tables>, digest: string): Promise<string | undefined> {
  for (const table of ['secrets', 'ended_digests'] as const) {
    const found = await db.selectFrom(table).select('key_id').where('digest', '=', digest).executeTakeFirst();
    if (found !== undefined) return found.key_id;
  }
  return undefined;
}

/** The column that each sort order uses. */
const SORT_COLUMNS = { created: 'created_at', name: 'sort_name', used: 'used_at' } as const;

export async function listKeys(
  db: Kysely<Tables>,
  filter: KeyFilter,
  { batch, hints }: Pick<Engine, 'batch' | 'hints'>,
): Promise<readonly ListedKey[]> {
  const { account, kinds, environment, api, state, text, unusedSince, now, sort, after, limit } = filter;
  const column = SORT_COLUMNS[sort.by];
  const [direction, follows, precedes] = sort.isDescending
    ? (['desc', '<', '>='] as const)
    : (['asc', '>', '<='] as const);
  // Lists of one kind in order of creation use the index `keys_of_kind`, which contains the kind; `unlikely` makes SQLite
  // choose it. For every other order, there is an index of access keys and an index of API keys. The database uses such an
  // index only if the query repeats its condition, `ofIndex`. `kinds` never contains access keys and API keys together.
  const isOneKind = sort.by === 'created' && kinds.length === 1;
  const ofIndex = kinds.includes('access') ? sql<boolean>`kind = 'access'` : sql<boolean>`kind <> 'access'`;

  /** Selects the keys after a place, in the order of an index. */
  function keysAfter(place: KeyPlace | undefined) {
    let query = db.selectFrom('keys').where('account', '=', account);
    if (isOneKind) query = query.where(hints.unlikely(sql`kind = ${kinds[0]}`));
    if (sort.by !== 'created') query = query.where(ofIndex);
    if (place !== undefined) query = query.where(compare(follows, place));
    return query.orderBy(column, direction).orderBy('id', direction);
  }

  /** Checks whether a time is before a limit. The planner may use only the index by which the list is sorted. */
  function isBefore(name: 'created_at' | 'used_at', limit: number): RawBuilder<boolean> {
    const time = name === column ? sql.ref(name) : hints.unindexed(sql.ref(name));
    return sql`${time} < ${limit}`;
  }

  function compare(operator: Comparison, { value, id }: KeyPlace): RawBuilder<boolean> {
    return comparePair([column, 'id'], operator, [value, id]);
  }

  const rows = await findPageInBatches<KeyRow & { readonly value: number | string }, KeyPlace>(
    {
      async endOfBatch(place, size) {
        const query = keysAfter(place)
          .select([`${column} as value`, 'id'])
          .offset(size - 1)
          .limit(1);
        return await query.executeTakeFirst();
      },
      async matching(place, end, most) {
        let query = keysAfter(place).select(KEY_COLUMNS).select(`${column} as value`).where(stateIs(state, now));
        if (!isOneKind) query = query.where('kind', 'in', kinds);
        if (environment !== undefined) query = query.where('environment', '=', environment);
        if (api !== undefined) query = query.where(hasApi(api));
        if (text !== undefined) query = query.where(contains(text));
        if (unusedSince !== undefined)
          query = query.where(isBefore('used_at', unusedSince)).where(isBefore('created_at', unusedSince));
        if (end !== undefined) query = query.where(compare(precedes, end));
        return await query.limit(most).execute();
      },
    },
    { after, limit, batch },
  );
  const secrets = await secretsOf(
    db,
    rows.map(({ id }) => id),
  );
  const publicKeys = await publicKeysOf(db, rows);
  return rows.map(({ value, ...key }) => ({
    key,
    secrets: secrets.filter(({ key_id }) => key_id === key.id),
    publicKeys: publicKeys.filter(({ key_id }) => key_id === key.id),
    place: { value, id: key.id },
  }));
}

/** Reads the public keys of keys. Only access keys have public keys. */
async function publicKeysOf(db: Kysely<Tables>, keys: readonly KeyRow[]): Promise<readonly PublicKeyRow[]> {
  const ids = keys.filter(({ kind }) => kind === 'access').map(({ id }) => id);
  if (ids.length === 0) return [];
  return await db.selectFrom('public_keys').selectAll().where('key_id', 'in', ids).orderBy('created_at').execute();
}

/**
 * Returns the secrets of keys, oldest first. If two secrets were created in the same millisecond, the one that is ended
 * or in its grace period comes first, so that the last secret of a key is its current one.
 */
export async function secretsOf(db: Kysely<Tables>, keys: readonly string[]): Promise<readonly SecretRow[]> {
  if (keys.length === 0) return [];
  return await db
    .selectFrom('secrets')
    .selectAll()
    .where('key_id', 'in', keys)
    .orderBy('created_at')
    .orderBy(sql`case when retires_at is null and ended_at is null then 1 else 0 end`)
    .orderBy('digest')
    .execute();
}

/**
 * Matches keys that have this API, by name or because they have all APIs. `replace` changes the list if it contains the
 * name in quotes. `like` is not used: PostgreSQL would expect few matches, and sort the whole table for one page.
 */
function hasApi(api: string): RawBuilder<boolean> {
  return sql`(apis = '"all"' or replace(apis, ${JSON.stringify(api)}, '') <> apis)`;
}

function stateIs(state: KeyFilter['state'], now: number): RawBuilder<boolean> {
  if (state === undefined) return sql`revoked_at is null`;
  if (state === 'revoked') return sql`revoked_at is not null`;
  if (state === 'expired') return sql`(revoked_at is null and expires_at <= ${now})`;
  const lives = sql`revoked_at is null and (expires_at is null or expires_at > ${now})`;
  return state === 'disabled' ? sql`(${lives} and disabled_at is not null)` : sql`(${lives} and disabled_at is null)`;
}

/**
 * Maximum length of a text in a search. Every `search_text` is shorter, and SQLite refuses patterns over 50,000 bytes.
 */
const MAX_TEXT = 10_000;

/** Matches keys whose name, id or hint contains a text, ignoring case. */
function contains(text: string): RawBuilder<boolean> {
  const folded = foldText(text);
  if (folded.length > MAX_TEXT) return sql`1 = 0`;
  const pattern = `%${folded.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`search_text like ${pattern} escape '\\'`;
}
