/** The queries that look up the record of a presented credential, by a primary key. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { AccessKeyRecord, KeyRecord } from '../credentials/records/key-records.js';
import { KEY_COLUMNS } from './repository/account-and-key-queries.js';
import type { RevokedTokensCache } from './revoked-tokens/revoked-tokens-cache.js';
import { accessKeyRecordOf, type FoundAccessKey, type FoundKey, keyRecordOf } from './rows-to-records.js';
import { StoreError } from './store-error.js';
import type { SecretRow, Tables } from './tables.js';

/**
 * The columns from which a record is made. `used_at` is left out, because no verifier needs the time of the last use.
 */
const RECORD_COLUMNS = [
  ...KEY_COLUMNS.filter((column) => column !== 'used_at').map((column) => `keys.${column}` as const),
  'accounts.apis as account_apis',
  'accounts.scopes as account_scopes',
  'accounts.channels as account_channels',
  'accounts.disabled_at as account_disabled_at',
] as const;

/** The row of a lookup that finds nothing: every column of the joined tables is null. */
interface NotFound {
  readonly account_apis: null;
}

interface AtPosition {
  readonly position: number;
}

type FoundAccessKeyRow = Omit<FoundAccessKey, 'secrets' | 'revokedTokens'> &
  Pick<SecretRow, 'retires_at' | 'ended_at'> & { readonly digest: string | null; readonly tokens_revoked: number };

/** The result of a lookup, and the position of the change feed when it was read. */
export interface LookedUp<R> {
  /** `undefined` if there is no such credential. */
  readonly record: R | undefined;
  readonly position: number;
}

/**
 * Selects the JWKs of all public keys of an access key as one text, separated by commas. If the statement joined
 * both secrets and public keys, it would return a row for each pair of a secret and a public key.
 */
function publicKeysOf({ selectFrom }: ExpressionBuilder<Tables, 'keys'>) {
  return selectFrom('public_keys')
    .select(sql<string | null>`string_agg(jwk, ',' order by created_at)`.as('jwks'))
    .whereRef('public_keys.key_id', '=', 'keys.id')
    .as('public_keys');
}

/**
 * Finds the record of an API key by the digest of its key value.
 *
 * The statement starts at `feed_head`, so that it also returns the position if there is no such key, and the position
 * and the record come from the same database node at the same time.
 *
 * @throws StoreError `store_unusable` if two secrets have this digest, which the primary key should prevent.
 */
export async function findKey(db: Kysely<Tables>, digest: string): Promise<LookedUp<KeyRecord>> {
  const [found, another] = await db
    .selectFrom('feed_head')
    .leftJoin('secrets', (join) => join.on('secrets.digest', '=', digest))
    // Excludes access keys, because a client secret must not be accepted as an API key.
    .leftJoin('keys', (join) => join.onRef('keys.id', '=', 'secrets.key_id').on('keys.kind', '!=', 'access'))
    .leftJoin('accounts', 'accounts.id', 'keys.account')
    .select([...RECORD_COLUMNS, 'secrets.retires_at', 'secrets.ended_at', 'feed_head.position'])
    .$castTo<AtPosition & (FoundKey | NotFound)>()
    .execute();
  if (another !== undefined) {
    throw new StoreError(
      'store_unusable',
      'the table "secrets" has two rows with the same digest, so its primary key is missing; restore the database from a backup',
    );
  }
  if (found === undefined) throw noFeedHead();
  return { record: found.account_apis === null ? undefined : keyRecordOf(found), position: found.position };
}

/**
 * Finds the record of an access key, with its secrets and public keys, by its client ID.
 *
 * @param revoked - The cache of revoked tokens. It reads revoked tokens that it lacks from the database.
 */
export async function findAccessKey(
  db: Kysely<Tables>,
  id: string,
  revoked: RevokedTokensCache,
): Promise<LookedUp<AccessKeyRecord>> {
  const rows = await db
    .selectFrom('feed_head')
    .leftJoin('keys', (join) => join.on('keys.id', '=', id).on('keys.kind', '=', 'access'))
    .leftJoin('accounts', 'accounts.id', 'keys.account')
    .leftJoin('secrets', 'secrets.key_id', 'keys.id')
    .select([...RECORD_COLUMNS, 'keys.tokens_revoked', 'secrets.digest', 'secrets.retires_at', 'secrets.ended_at'])
    .select('feed_head.position')
    .select(publicKeysOf)
    .$castTo<AtPosition & (FoundAccessKeyRow | NotFound)>()
    .execute();
  const [first] = rows;
  if (first === undefined) throw noFeedHead();
  if (first.account_apis === null) return { record: undefined, position: first.position };
  const secrets = rows.flatMap((row) => {
    if (row.account_apis === null || row.digest === null) return [];
    const { digest, retires_at, ended_at } = row;
    return [{ digest, retires_at, ended_at }];
  });
  const revokedTokens = await revoked.of(db, id, first.tokens_revoked);
  // `first` is spread last. If it were spread first, V8 of Node 20 would create a hidden class for each object, which
  // takes memory.
  return { record: accessKeyRecordOf({ secrets, revokedTokens, ...first }), position: first.position };
}

function noFeedHead(): StoreError {
  return new StoreError('store_unusable', 'the table "feed_head" is empty; restore the database from a backup');
}
