/** PostgreSQL through pg. */
import { Kysely, sql, type Transaction } from 'kysely';
import type { Engine } from './engine.js';
import { migrateSchema } from './migrations.js';
import { listenOnPostgres } from './postgres-channel.js';
import { BoundedPostgresDialect } from './postgres-dialect.js';
import { clientConfig, postgresPool } from './postgres-pool.js';
import { StoreError } from './store-error.js';
import type { Tables } from './tables.js';

/** Milliseconds between two polls, give or take a tenth, so that many instances do not poll at once. */
const POLL_EVERY = 500;
const JITTER = 0.1;
/** Milliseconds between two polls while the channel calls for them without a pause. */
const POLL_AT_MOST_EVERY = 50;

/** How often a transaction that met another one is run again. */
const TRIES = 10;
const MET_ANOTHER = ['40001', '40P01', '55P03'];

/** Unlike a sequence of its own, it asks who inserts for no right on a sequence. */
const OWN_NUMBER = 'bigint generated always as identity primary key';

/** Opens a database. It makes no connection by itself: the server may be down, and come later. */
export function openPostgres(url: string, schema: string): Engine {
  const all = new Kysely<Tables>({ dialect: new BoundedPostgresDialect(postgresPool(url)) });
  const db = all.withSchema(schema);
  const channel = `keyward_${schema}`;

  async function transact<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    for (let left = TRIES; ; left -= 1) {
      try {
        return await all.transaction().execute((tx) => work(tx.withSchema(schema) as Transaction<Tables>));
      } catch (error) {
        if (left === 0 || !metAnother(error)) throw error;
      }
    }
  }

  async function announce(tx: Transaction<Tables>): Promise<void> {
    await say(tx, channel);
  }

  async function analyze(): Promise<void> {
    for (const table of ['keys', 'secrets']) await sql`analyze ${sql.id(schema, table)}`.execute(all);
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

    /** The earlier of two holds: a word that came while a poll was under way is not put off by the end of that poll. */
    function schedule(at: number): void {
      if (ended || at >= dueAt) return;
      dueAt = at;
      clearTimeout(timer);
      timer = setTimeout(() => void pollNow(), Math.max(0, at - performance.now())).unref();
    }

    function wake(): void {
      schedule(polledAt + POLL_AT_MOST_EVERY);
    }

    const deafen = listenOnPostgres({ config: clientConfig(url), channel, say: (word) => say(all, word), wake });
    void pollNow();
    return () => {
      ended = true;
      clearTimeout(timer);
      deafen();
    };
  }

  return {
    reader: db,
    transact,
    migrate: () =>
      migrateSchema(db, { freezeTable: (table) => freezeTable(schema, table), ownNumber: OWN_NUMBER, schema }),
    announce,
    analyze,
    version: () => undefined,
    follow,
    close: () => all.destroy(),
  };
}

async function say(on: Kysely<Tables>, channel: string): Promise<void> {
  await sql`select pg_notify(${channel}, '')`.execute(on);
}

function metAnother(error: unknown): boolean {
  return error instanceof StoreError && MET_ANOTHER.includes(error.driverCode);
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
