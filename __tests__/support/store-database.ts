import Database from 'better-sqlite3';
import pg from 'pg';

export type RawRow = Readonly<Record<string, unknown>>;

/** The file of a `file:` URL. */
export function fileOf(url: string): string {
  return url.slice('file:'.length);
}

/** The schema of a `postgres:` URL. */
export function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema') ?? '';
}

/** Runs statements on the database of a store past the store, as its operator would; the rows of the last one. */
export async function onDatabase(url: string, ...statements: readonly string[]): Promise<readonly RawRow[]> {
  return url.startsWith('file:') ? onSqlite(fileOf(url), statements) : await onPostgres(url, statements);
}

function onSqlite(file: string, statements: readonly string[]): readonly RawRow[] {
  const database = new Database(file, { timeout: 5_000 });
  try {
    let rows: readonly RawRow[] = [];
    for (const statement of statements) {
      const prepared = database.prepare<[], RawRow>(statement);
      if (prepared.reader) rows = prepared.all();
      else prepared.run();
    }
    return rows;
  } finally {
    database.close();
  }
}

async function onPostgres(url: string, statements: readonly string[]): Promise<readonly RawRow[]> {
  const client = await connectTo(url);
  try {
    let rows: readonly RawRow[] = [];
    for (const statement of statements) rows = (await client.query<RawRow>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

async function connectTo(url: string): Promise<pg.Client> {
  const plain = new URL(url);
  plain.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: plain.href });
  await client.connect();
  if (schemaOf(url) !== '') await client.query(`set search_path to "${schemaOf(url)}"`);
  return client;
}

/** A transaction of somebody else, which stays open until it is committed. */
export interface HeldTransaction {
  commit(): Promise<void>;
}

/** Begins a transaction past the store, and writes in it. */
export async function holdDatabase(url: string, ...statements: readonly string[]): Promise<HeldTransaction> {
  if (url.startsWith('file:')) {
    const database = new Database(fileOf(url), { timeout: 5_000 });
    for (const statement of ['begin immediate', ...statements]) database.exec(statement);
    return {
      async commit() {
        database.exec('commit');
        database.close();
      },
    };
  }
  const client = await connectTo(url);
  for (const statement of ['begin', ...statements]) await client.query(statement);
  return {
    async commit() {
      await client.query('commit');
      await client.end();
    },
  };
}

/** Statements that leave the table of secrets as if somebody had copied it without its constraints. */
export const WITHOUT_CONSTRAINTS = [
  'create table copied as select * from secrets',
  'drop table secrets',
  'alter table copied rename to secrets',
];
