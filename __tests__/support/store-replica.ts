import { randomBytes } from 'node:crypto';
import { onDatabase, schemaOf } from './store-database.js';

/** A copy of a store's tables that lags behind, as a replica does. */
export interface StoreReplica {
  /** Its schema: a name as long as that of the store. */
  readonly schema: string;
  /** Brings it up to date, at once and whole. */
  catchUp(): Promise<void>;
  remove(): Promise<void>;
}

/** Those that lookups and the feed read. */
const TABLES = [
  ...['accounts', 'keys', 'secrets', 'public_keys', 'revoked_tokens', 'signing_keys'],
  ...['changes', 'feed_head', 'migrations'],
];

/** Makes a replica of a store in PostgreSQL as it is now. */
export async function replicaOf(url: string): Promise<StoreReplica> {
  const schema = `test_${randomBytes(6).toString('hex')}`;
  const own = schemaOf(url);
  const make = TABLES.map((table) => `create table "${schema}".${table} (like "${own}".${table} including all)`);
  await onDatabase(url, `create schema "${schema}"`, ...make);

  async function catchUp(): Promise<void> {
    const copies = TABLES.flatMap((table) => [
      `delete from "${schema}".${table}`,
      `insert into "${schema}".${table} select * from "${own}".${table}`,
    ]);
    // One snapshot of everything, as a replica has it.
    await onDatabase(url, 'begin isolation level repeatable read', ...copies, 'commit');
  }

  await catchUp();
  return {
    schema,
    catchUp,
    remove: async () => void (await onDatabase(url, `drop schema "${schema}" cascade`)),
  };
}
