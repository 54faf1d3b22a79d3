import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { fileOf, onDatabase } from './store-database.js';

/** A backup of a store that can be put in its place, while others have it open. */
export interface StoreBackup {
  /** @param statements - PostgreSQL: what is done to it before anybody sees it. */
  restore(...statements: readonly string[]): Promise<void>;
}

const TABLES = ['changes', 'feed_head', 'revoked_tokens', 'secrets', 'keys', 'accounts'];

/** Backs a store up as it is now. */
export async function backUp(url: string): Promise<StoreBackup> {
  return url.startsWith('file:') ? await copyOf(fileOf(url)) : await rowsOf(url);
}

/** SQLite: a copied file, put in place of the one that is open. */
async function copyOf(file: string): Promise<StoreBackup> {
  const database = new Database(file);
  await database.backup(`${file}.backup`);
  database.close();
  return {
    async restore() {
      for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
      renameSync(`${file}.backup`, file);
    },
  };
}

/** PostgreSQL: the rows as they were, in one transaction. */
async function rowsOf(url: string): Promise<StoreBackup> {
  await onDatabase(url, ...TABLES.map((table) => `create table saved_${table} as select * from ${table}`));
  return {
    async restore(...statements) {
      await onDatabase(
        url,
        'begin',
        ...TABLES.map((table) => `delete from ${table}`),
        ...[...TABLES].reverse().map((table) => `insert into ${table} select * from saved_${table}`),
        ...statements,
        'commit',
      );
    },
  };
}
