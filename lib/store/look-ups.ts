/** The look-ups of requests: one statement each, by a primary key. */
import type { Kysely } from 'kysely';
import type { AccessKeyRecord, KeyRecord } from '../credentials/record.js';
import { accessKeyRecordOf, keyRecordOf } from './key-records.js';
import { StoreError } from './store-error.js';
import type { Tables } from './tables.js';

const OF_KEY = [
  'keys.id',
  'keys.kind',
  'keys.account',
  'keys.environment',
  'keys.name',
  'keys.apis',
  'keys.scopes',
  'keys.default_scopes',
  'keys.channels',
  'keys.platform',
  'keys.created_at',
  'keys.created_by',
  'keys.expires_at',
  'keys.revoked_at',
  'keys.disabled_at',
  'keys.tokens_not_before',
  'keys.version',
  'accounts.apis as account_apis',
  'accounts.scopes as account_scopes',
  'accounts.channels as account_channels',
  'accounts.disabled_at as account_disabled_at',
] as const;

/** What was found, and the position of the feed where it was read. */
export interface Found<R> {
  readonly record: R;
  readonly position: number;
}

/** In the statement that reads a record, so that both are of one instant of one node of the database. */
function positionOf(db: Kysely<Tables>) {
  return db.selectFrom('feed_head').select('position').as('position');
}

/**
 * Finds the record of an API key by the digest of its text.
 *
 * @throws StoreError `store_unusable` where two have it: a database that has lost its constraints.
 */
export async function findKey(db: Kysely<Tables>, digest: string): Promise<Found<KeyRecord> | undefined> {
  const [found, another] = await db
    .selectFrom('secrets')
    .innerJoin('keys', 'keys.id', 'secrets.key_id')
    .innerJoin('accounts', 'accounts.id', 'keys.account')
    .select([...OF_KEY, 'secrets.retires_at'])
    .select(positionOf(db))
    .where('secrets.digest', '=', digest)
    // The Secret of an access key is no API key, whatever it looks like.
    .where('keys.kind', '!=', 'access')
    .execute();
  if (another !== undefined) throw new StoreError('store_unusable', 'two secrets have one digest');
  return found && { record: keyRecordOf(found), position: found.position ?? 0 };
}

/** Finds the record of an access key, with its secrets, by its Identifier. */
export async function findAccessKey(db: Kysely<Tables>, id: string): Promise<Found<AccessKeyRecord> | undefined> {
  const rows = await db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account')
    .leftJoin('secrets', 'secrets.key_id', 'keys.id')
    .select([...OF_KEY, 'secrets.digest', 'secrets.retires_at'])
    .select(positionOf(db))
    .where('keys.id', '=', id)
    .where('keys.kind', '=', 'access')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const secrets = rows.flatMap(({ digest, retires_at }) => (digest === null ? [] : [{ digest, retires_at }]));
  // Spread last: else V8 of Node 20 makes a shape of its own for each.
  return { record: accessKeyRecordOf({ secrets, ...first }), position: first.position ?? 0 };
}
