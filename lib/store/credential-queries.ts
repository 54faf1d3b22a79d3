/** The queries that look up the record of a presented credential. Each finds a row by a primary key. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { AccessKeyRecord, KeyRecord } from '../credentials/records/record.js';
import { accessKeyRecordOf, keyRecordOf } from './key-records.js';
import { KEY_COLUMNS } from './repository/management-queries.js';
import type { RevokedTokensCache } from './revoked-tokens/revoked-tokens-cache.js';
import { StoreError } from './store-error.js';
import type { Tables } from './tables.js';

/** The columns of a record. The last use is left out: no verifier needs it. */
const RECORD_COLUMNS = [
  ...KEY_COLUMNS.filter((column) => column !== 'used_at').map((column) => `keys.${column}` as const),
  'accounts.apis as account_apis',
  'accounts.scopes as account_scopes',
  'accounts.channels as account_channels',
  'accounts.disabled_at as account_disabled_at',
] as const;

/** A record, and the position of the feed at which it was read. */
export interface FoundRecord<R> {
  readonly record: R;
  readonly position: number;
}

/**
 * Selects the position of the feed. It is part of the statement that reads the record, so that both come from the same
 * node at the same time.
 */
function positionOf(db: Kysely<Tables>) {
  return db.selectFrom('feed_head').select('position').as('position');
}

/**
 * Selects the JWKs of the public keys of a key as one text, separated by commas. If the statement joined both secrets
 * and public keys, it would return a row for each combination of the two.
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
 * @throws StoreError `store_unusable` if two rows match: the database has lost its constraints.
 */
export async function findKey(db: Kysely<Tables>, digest: string): Promise<FoundRecord<KeyRecord> | undefined> {
  const [found, another] = await db
    .selectFrom('secrets')
    .innerJoin('keys', 'keys.id', 'secrets.key_id')
    .innerJoin('accounts', 'accounts.id', 'keys.account')
    .select([...RECORD_COLUMNS, 'secrets.retires_at', 'secrets.ended_at'])
    .select(positionOf(db))
    .where('secrets.digest', '=', digest)
    // Excludes access keys, because a client secret must not be accepted as an API key.
    .where('keys.kind', '!=', 'access')
    .execute();
  if (another !== undefined) throw new StoreError('store_unusable', 'two secrets have the same digest');
  return found && { record: keyRecordOf(found), position: found.position ?? 0 };
}

/**
 * Finds an access key, with its secrets and public keys, by its client ID. The revoked tokens come from the cache; if
 * it lacks some, they are read from the database.
 */
export async function findAccessKey(
  db: Kysely<Tables>,
  id: string,
  revoked: RevokedTokensCache,
): Promise<FoundRecord<AccessKeyRecord> | undefined> {
  const rows = await db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account')
    .leftJoin('secrets', 'secrets.key_id', 'keys.id')
    .select([...RECORD_COLUMNS, 'keys.tokens_revoked', 'secrets.digest', 'secrets.retires_at', 'secrets.ended_at'])
    .select(publicKeysOf)
    .select(positionOf(db))
    .where('keys.id', '=', id)
    .where('keys.kind', '=', 'access')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const secrets = rows.flatMap(({ digest, retires_at, ended_at }) =>
    digest === null ? [] : [{ digest, retires_at, ended_at }],
  );
  const revokedTokens = await revoked.of(db, id, first.tokens_revoked);
  // `first` is spread last, because otherwise V8 of Node 20 creates a hidden class for each object.
  return { record: accessKeyRecordOf({ secrets, revokedTokens, ...first }), position: first.position ?? 0 };
}
