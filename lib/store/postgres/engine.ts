/** The PostgreSQL engine, which uses pg. */
import { Kysely, sql, type Transaction } from 'kysely';
import type { Engine, PlannerHints } from '../engine.js';
import { isMigrated, migrateSchema, type SchemaDialect } from '../migrations/migrations.js';
import { READ_ONLY, StoreError, storeClosed } from '../store-error.js';
import type { Tables } from '../tables.js';
import { type ConnectionConfig, connectionConfigOf } from './connection-config.js';
import { BoundedPostgresDialect } from './kysely-dialect.js';
import { listenOnPostgres } from './listen-notify.js';
import { clientConfig, type PoolBounds, postgresPool } from './pool.js';

/**
 * Milliseconds between two polls. Each interval varies by 10 %, so that many instances do not poll at the same time.
 */
const POLL_EVERY = 500;
const JITTER = 0.1;
/** Minimum milliseconds between two polls while notifications arrive. */
const MIN_POLL_INTERVAL = 50;

// Lookups have their own pool, so that searches and writes that wait for a lock cannot take all connections. The feed
// has its own pool too, because cached entries become unusable if it is not polled: a poll must not wait for lookups
// that hang. The readiness check uses one connection of the feed at a time, so that it works while lookups hang.
const LOOKUPS: PoolBounds = { maxConnections: 6, connectTimeout: 1_000, statementTimeout: 1_000 };
const FEED: PoolBounds = { maxConnections: 2, connectTimeout: 1_000, statementTimeout: 1_000 };
const REQUEST_WRITES: PoolBounds = { maxConnections: 4, connectTimeout: 1_000, statementTimeout: 1_000 };
// The long `queueTimeout` lets a revocation wait for a free connection, so that it succeeds even if many edits are
// queued before it.
const MANAGEMENT: PoolBounds = {
  maxConnections: 4,
  connectTimeout: 3_000,
  queueTimeout: 10_000,
  statementTimeout: 3_500,
};
/** The statement timeout is an hour, because a statement that creates an index on a large table takes minutes. */
const MIGRATION: PoolBounds = { maxConnections: 2, connectTimeout: 1_000, statementTimeout: 3_600_000 };
const LISTENER = { connectTimeout: 1_000, statementTimeout: 3_000 };

/**
 * Milliseconds by which the statement timeout of the server is shorter than the timeout of the pool. So the server ends
 * a slow statement first, and the connection stays usable for the rollback.
 */
const SERVER_FIRST = 500;

/**
 * The number of rows that one search statement reads, which takes about half a second. One large statement is faster
 * than many small ones, because the planner can then read the table in the order in which it is stored.
 */
const BATCH = 1_000_000;

/**
 * Maximum number of retries of a write that conflicts with another write, waits too long for a lock or gets a read-only
 * session.
 */
const MAX_RETRIES = 10;
const RUN_AGAIN = ['40001', '40P01', '55P03', READ_ONLY];

/** A statement for the readiness check: it needs no rights and writes nothing, but fails in a read-only session. */
const REFUSED_WHERE_READ_ONLY = `do $$ begin
  if current_setting('transaction_read_only') = 'on' then raise sqlstate '${READ_ONLY}' using message = 'the database session is read-only'; end if;
end $$`;

/** An identity column, because inserting into a column with a separate sequence needs rights on the sequence. */
const OWN_NUMBER = 'bigint generated always as identity primary key';

/** `clock_timestamp()` is the current time; `now()` would return the start of the transaction. */
const NOW = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

const NO_HINTS: PlannerHints = { unlikely: (condition) => condition, unindexed: (column) => column };

/**
 * Opens a database. It does not connect yet, because the server may be down when the process starts.
 *
 * @throws StoreError `store_unusable` if a TLS file of the URL cannot be read, if pg refuses a parameter of the URL, or
 *   if the port is invalid.
 */
export function openPostgres(url: string, schema: string): Engine {
  const connectionConfig = connectionConfigOf(url);
  const pools = {
    lookups: openPool(connectionConfig, schema, LOOKUPS),
    feed: openPool(connectionConfig, schema, FEED),
    requestWrites: openPool(connectionConfig, schema, REQUEST_WRITES),
    management: openPool(connectionConfig, schema, MANAGEMENT),
  };
  const [lookups, feed, management] = [pools.lookups.db, pools.feed.db, pools.management.db];
  const channel = `keyward_${schema}`;
  let migration: ReturnType<typeof openPool> | undefined;
  let isClosed = false;

  function transact<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return repeat(MAX_RETRIES, () =>
      management.transaction().execute((tx) => work(tx.withSchema(schema) as Transaction<Tables>)),
    );
  }

  function writeForRequest<T>(statement: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return repeat(MAX_RETRIES, () => statement(pools.requestWrites.db.withSchema(schema)));
  }

  async function announce(tx: Transaction<Tables>): Promise<void> {
    await sendNotification(tx, channel);
  }

  async function analyze(): Promise<void> {
    for (const table of ['keys', 'secrets']) await sql`analyze ${sql.id(schema, table)}`.execute(management);
  }

  /**
   * Checks the database. A session that was opened while the server was read-only stays read-only, so the pool closes
   * such a session, and the check tries the next one.
   */
  async function check({ write }: { readonly write: boolean }): Promise<void> {
    await feed.withSchema(schema).selectFrom('feed_head').select('position').execute();
    if (write) await repeat(FEED.maxConnections, () => sql.raw(REFUSED_WHERE_READ_ONLY).execute(feed));
  }

  async function migrate(): Promise<void> {
    const schemaDialect: SchemaDialect = {
      freezeTable: (table) => freezeTable(schema, table),
      ownNumber: OWN_NUMBER,
      indexesTexts: false,
      schema,
    };
    // This query uses the pool of lookups, so that the first lookup finds an open connection.
    if (await isMigrated(lookups.withSchema(schema), schemaDialect)) return;
    // The store may have been closed in the meantime. Nothing would close a new pool.
    if (isClosed) throw storeClosed();
    migration = openPool(connectionConfig, schema, MIGRATION);
    try {
      await migrateSchema(migration.db.withSchema(schema), schemaDialect);
    } finally {
      await migration.close();
    }
  }

  function follow(poll: () => Promise<void>): () => void {
    let timer: NodeJS.Timeout;
    let polledAt = Number.NEGATIVE_INFINITY;
    let dueAt = Number.POSITIVE_INFINITY;
    let ended = false;

    async function pollNow(): Promise<void> {
      polledAt = performance.now();
      dueAt = Number.POSITIVE_INFINITY;
      await poll();
      schedule(performance.now() + POLL_EVERY * (1 + JITTER * (2 * Math.random() - 1)));
    }

    /**
     * Schedules the next poll, unless an earlier poll is already scheduled. So the end of a poll does not delay the
     * poll for a notification that arrived in the meantime.
     */
    function schedule(at: number): void {
      if (ended || at >= dueAt) return;
      dueAt = at;
      clearTimeout(timer);
      timer = setTimeout(() => void pollNow(), Math.max(0, at - performance.now())).unref();
    }

    function wake(): void {
      schedule(polledAt + MIN_POLL_INTERVAL);
    }

    const stopListening = listenOnPostgres({
      config: () => clientConfig(connectionConfig(), LISTENER),
      channel,
      sendNotification: (name) => sendNotification(feed, name),
      wake,
    });
    void pollNow();
    return () => {
      ended = true;
      clearTimeout(timer);
      stopListening();
    };
  }

  return {
    lookups: lookups.withSchema(schema),
    feed: feed.withSchema(schema),
    lists: management.withSchema(schema),
    now: NOW,
    transact,
    writeForRequest,
    batch: BATCH,
    hints: NO_HINTS,
    locksRows: true,
    check,
    migrate,
    announce,
    analyze,
    version: async () => undefined,
    replacements: 0,
    follow,
    async close() {
      isClosed = true;
      // A migration in progress may take an hour. It is rolled back, and the next start runs it again.
      await Promise.all([...Object.values(pools).map((pool) => pool.close()), migration?.abort()]);
    },
  };
}

function openPool(connectionConfig: () => ConnectionConfig, schema: string, bounds: PoolBounds) {
  const pool = postgresPool(connectionConfig, bounds);
  const dialect = new BoundedPostgresDialect(pool, schema, bounds.statementTimeout - SERVER_FIRST);
  const db = new Kysely<Tables>({ dialect });
  // Not `db.destroy()`: Kysely would not close a pool that was never used, and would then throw errors of its own.
  return { db, close: () => pool.end(), abort: () => pool.abort() };
}

async function sendNotification(on: Kysely<Tables>, channel: string): Promise<void> {
  await sql`select pg_notify(${channel}, '')`.execute(on);
}

/** Runs work, and repeats it if it conflicts with other work or gets a read-only session. */
async function repeat<T>(retries: number, work: () => Promise<T>): Promise<T> {
  for (let left = retries; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !mayRunAgain(error)) throw error;
    }
  }
}

function mayRunAgain(error: unknown): boolean {
  return error instanceof StoreError && RUN_AGAIN.includes(error.driverCode);
}

function freezeTable(schema: string, table: string): readonly string[] {
  const name = `"${schema}"."${table}_is_append_only"`;
  return [
    `create function ${name}() returns trigger language plpgsql as
       $$ begin raise exception '${table} is append-only'; end $$`,
    `create trigger ${table}_is_append_only before update or delete or truncate on "${schema}"."${table}"
       for each statement execute function ${name}()`,
  ];
}
