/** What differs between the databases, behind one face. */
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.js';

export interface Engine {
  /** For reading. On SQLite a connection of its own, so that no look-up waits for a writer. */
  readonly reader: Kysely<Tables>;
  /**
   * Runs work in a transaction that writes. Where another writer was in the way it is run again from the start, so it
   * has no effect beside what it asks of the transaction.
   */
  transact<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Makes the tables, or brings them up to date; does nothing, and needs no rights, where they are. */
  migrate(): Promise<void>;
  /** Says, in the transaction that writes a step of the feed, that there is one. */
  announce(tx: Transaction<Tables>): Promise<void>;
  /** Has the database look at its tables anew: after many rows at once it would plan by what it knew before. */
  analyze(): Promise<void>;
  /** What differs after a commit of another connection; `undefined` where only reading the feed tells. */
  version(): string | undefined;
  /** Starts to call `poll` when there may be a step to read, and often enough that none waits long. */
  follow(poll: () => Promise<void>): () => void;
  close(): Promise<void>;
}
