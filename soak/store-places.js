/** Databases for stores, each gone when it was used. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';

const INT8 = 20;
const types = { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) };

/**
 * A place has the `url` of a store; `inspect(work)`, which gives work a `select(text, ...parameters)` that sees one
 * snapshot of the tables, past keyward; and `remove()`.
 */
export const placesOf = {
  SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-soak-'));
    const file = join(folder, 'keyward.db');
    async function inspect(work) {
      const database = new Database(file);
      try {
        database.exec('begin');
        return await work(async (text, ...parameters) => database.prepare(text).all(...parameters));
      } finally {
        database.close();
      }
    }
    return { url: `file:${file}`, file, inspect, remove: async () => rmSync(folder, { recursive: true, force: true }) };
  },

  PostgreSQL() {
    const server = postgresServer();
    const schema = `soak_${randomBytes(6).toString('hex')}`;
    const url = new URL(server);
    // Under a name of its own the server's operator, and a harness, can recognize these connections.
    for (const [name, value] of Object.entries({ schema, application_name: schema })) url.searchParams.set(name, value);
    const inspect = (work) =>
      onPostgres(async (client) => {
        await client.query(`set search_path to "${schema}"; begin isolation level repeatable read`);
        return await work(async (text, ...parameters) => {
          let number = 0;
          const numbered = text.replaceAll('?', () => `$${++number}`);
          return (await client.query({ text: numbered, values: parameters, types })).rows;
        });
      });
    const remove = () => onPostgres((client) => client.query(`drop schema if exists "${schema}" cascade`));
    return { url: url.href, schema, inspect, remove };
  },
};

/** Runs work with a connection to the server, as its operator has one. */
export async function onPostgres(work) {
  const client = new pg.Client({ connectionString: postgresServer() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The server to make schemas on. */
export function postgresServer() {
  const server = process.env.KEYWARD_TEST_POSTGRES;
  if (!server) throw new Error('set KEYWARD_TEST_POSTGRES to the postgres:// URL of a server to make schemas on');
  return server;
}
