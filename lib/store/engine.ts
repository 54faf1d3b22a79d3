/** The interface of a database engine, which hides the differences between SQLite and PostgreSQL. */
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Tables } from './tables.js';

/** Hints for the query planner. PostgreSQL has statistics, and gets none. */
export interface PlannerHints {
  /** Says that few rows fulfill a condition, so that an index with its column is preferred. */
  unlikely(condition: RawBuilder<boolean>): RawBuilder<boolean>;
  /** Hides a column, so that no index with it is used. */
  unindexed(column: RawBuilder<unknown>): RawBuilder<unknown>;
}

export interface Engine {
  /** Connections for the lookups of requests only, so that a lookup waits for no other work. */
  readonly lookups: Kysely<Tables>;
  /**
   * Connections for the change feed, so that cached entries stay usable while lookups hang. On PostgreSQL, `check` uses
   * one of them too. On SQLite, where lookups do not wait for a server, the same as `lookups`.
   */
  readonly feed: Kysely<Tables>;
  /**
   * Connections for the lists and searches of management. On PostgreSQL, they are the 4 connections that `transact` also
   * uses, so many long searches can delay a change.
   */
  readonly lists: Kysely<Tables>;
  /** The number of rows that each statement of a search reads after the first, which reads fewer. */
  readonly batch: number;
  /** The hints by which SQLite uses the right index for a list, although it has no statistics. */
  readonly hints: PlannerHints;
  /** The clock of the database, in milliseconds since 1970. It is used for times that every process must agree on. */
  readonly now: RawBuilder<number>;
  /**
   * Runs work in a writing transaction. If the work conflicts with another writer, it runs again from the start, so it
   * must have no side effects outside the transaction.
   */
  transact<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs one writing statement for which a request waits. If it conflicts with another writer, it runs again. On
   * PostgreSQL, it uses a separate pool: it does not wait for management, and takes no connection from lookups.
   */
  writeForRequest<T>(statement: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Whether a transaction must lock a row before it changes it. SQLite has only one writer at a time and needs no lock.
   */
  readonly locksRows: boolean;
  /**
   * Throws if the database cannot be read or, if `write` is `true`, cannot be written. SQLite ignores `write`.
   *
   * @throws StoreError
   */
  check(options: { readonly write: boolean }): Promise<void>;
  /**
   * Creates the tables, or brings them up to date. If they are up to date, it changes nothing and needs no rights to
   * create tables.
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
   * Returns a value that changes when another connection has committed. It returns `undefined` if the engine has no
   * such value; each poll must then query the feed.
   */
  version(): Promise<string | undefined>;
  /** The number of times that the database file was opened again because it was replaced; always 0 on PostgreSQL. */
  readonly replacements: number;
  /** Calls `poll` soon after each change of the feed, and at regular intervals. Returns a function that stops it. */
  follow(poll: () => Promise<void>): () => void;
  close(): Promise<void>;
}
