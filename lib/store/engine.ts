/** The interface of a database engine, which hides the differences between SQLite and PostgreSQL. */
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Tables } from './tables.js';

/**
 * Hints for the query planner of SQLite. PostgreSQL plans by its statistics, so there these functions change nothing.
 */
export interface PlannerHints {
  /** Says that few rows fulfill a condition, so that the planner prefers an index with the column of the condition. */
  unlikely(condition: RawBuilder<boolean>): RawBuilder<boolean>;
  /** Hides a column from the planner, so that the planner does not use an index with this column. */
  unindexed(column: RawBuilder<unknown>): RawBuilder<unknown>;
}

export interface Engine {
  /**
   * Connections for the lookups of requests. Other work uses other connections, so that a lookup does not wait for it.
   * Only a database in memory has a single connection for everything.
   */
  readonly lookups: Kysely<Tables>;
  /**
   * Connections for the change feed, so that cached entries stay usable while lookups hang. On PostgreSQL, `check` uses
   * one of them too. On SQLite, they are the same as `lookups`, because lookups do not wait for a server.
   */
  readonly feed: Kysely<Tables>;
  /**
   * Connections for the lists and searches of management. On PostgreSQL, `transact` uses the same 4 connections, so
   * many long searches can delay a change.
   */
  readonly lists: Kysely<Tables>;
  /** The number of rows that each statement of a search reads, except the first one, which usually reads fewer. */
  readonly batch: number;
  /** Hints that make SQLite use the right index for a list, although it may have no statistics. */
  readonly hints: PlannerHints;
  /** SQL for the clock of the database, in milliseconds since 1970. For times on which all processes must agree. */
  readonly now: RawBuilder<number>;
  /**
   * Runs work in a transaction that can write. If the transaction conflicts with another one, the work runs again from
   * the start, so it must have no side effects outside the transaction.
   */
  transact<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs one statement that writes, and for which a request waits. If it conflicts with another write, it runs again.
   * On PostgreSQL, it uses a separate pool: it does not wait for management, and takes no connection from lookups.
   */
  writeForRequest<T>(statement: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Whether a transaction must lock a row before it changes it. SQLite has only one writer at a time and needs no lock.
   */
  readonly locksRows: boolean;
  /**
   * Checks the database for `ready()`. SQLite ignores `write`.
   *
   * @throws StoreError if the database cannot be read or, if `write` is `true`, cannot be written.
   */
  check(options: { readonly write: boolean }): Promise<void>;
  /**
   * Creates the tables, or adds what a newer version of keyward needs. If the tables are up to date, the database user
   * needs no right to create tables.
   */
  migrate(): Promise<void>;
  /**
   * Notifies other processes of a change, in the transaction that writes the change to the feed. Does nothing on
   * SQLite, where the other processes find the change when they poll.
   */
  announce(tx: Transaction<Tables>): Promise<void>;
  /** Updates the statistics of the query planner. Call it after many rows were inserted. */
  analyze(): Promise<void>;
  /**
   * Returns a value that changes after each commit to a database file, so that a poll can skip its query if nothing has
   * changed. PostgreSQL has no such value: there, it returns `undefined`, and each poll queries the feed.
   */
  version(): Promise<string | undefined>;
  /**
   * The number of times that the database file was opened again because it or its write-ahead log was replaced. Always
   * 0 on PostgreSQL.
   */
  readonly replacements: number;
  /**
   * Calls `poll` at regular intervals, and on PostgreSQL also soon after each change in the feed. Returns a function
   * that stops the calls.
   */
  follow(poll: () => Promise<void>): () => void;
  close(): Promise<void>;
}
