import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import {
  canReopen,
  checkInPlace,
  connectSqlite,
  disconnectSqlite,
  hasSameDatabase,
  type SqliteConnections,
} from '../../../lib/store/sqlite/connections.js';
import { StoreError } from '../../../lib/store/store-error.js';

const MEMORY = ':memory:';
const CLOSED = new StoreError('store_unavailable', 'closed');

let folder: string;
let file: string;
let open: SqliteConnections[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-connections-'));
  file = join(folder, 'keyward.db');
  open = [];
});
afterEach(async () => {
  for (const connections of open) await disconnectSqlite(connections, CLOSED);
  rmSync(folder, { recursive: true, force: true });
});

function connect(path = file, exists = false): SqliteConnections {
  const connections = connectSqlite(path, { exists });
  open.push(connections);
  return connections;
}
const write = async ({ writer }: SqliteConnections, number: number) => {
  await sql`create table if not exists numbers (value integer)`.execute(writer);
  await sql`insert into numbers values (${sql.lit(number)})`.execute(writer);
};
const pragmas = ({ databases }: SqliteConnections, name: string) =>
  [...databases.values()].map((database) => database.pragma(name, { simple: true }));

describe('the connections of a file', () => {
  it('are one that writes and two that read, and the one that writes is closed last', async () => {
    const connections = connect();
    const { writer, lookups, lists, databases } = connections;
    expect([...databases.keys()]).toEqual([lists, lookups, writer]);
    expect([...databases.values()].map(({ readonly }) => readonly)).toEqual([true, true, false]);
    await write(connections, 7);
    for (const db of [lookups, lists]) {
      expect((await sql`select value from numbers`.execute(db)).rows).toEqual([{ value: 7 }]);
    }
    expect(pragmas(connections, 'journal_mode')).toEqual(['wal', 'wal', 'wal']);
    expect(pragmas(connections, 'busy_timeout')).toEqual([50, 50, 50]);
    expect(databases.get(writer)?.pragma('synchronous', { simple: true })).toBe(2);
    expect(databases.get(writer)?.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(databases.get(writer)?.pragma('analysis_limit', { simple: true })).toBe(1000);
  });

  it('create the file for its owner only, unless it must exist', () => {
    expect(() => connect(file, true)).toThrow(/^cannot open the database file: /);
    expect(() => statSync(file)).toThrow('ENOENT');
    connect();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    connect(file, true);
  });

  it('show each commit by a number', async () => {
    const connections = connect();
    const before = connections.dataVersion();
    expect(before).toEqual(expect.any(Number));
    expect(connections.dataVersion()).toBe(before);
    await write(connections, 1);
    expect(connections.dataVersion()).not.toBe(before);
  });

  it('know the files that are open', () => {
    const { files } = connect();
    const inodes = ['', '-wal', '-shm'].map((ending) => statSync(file + ending, { bigint: true }).ino);
    expect([files.database, ...files.companions]).toEqual(inodes);
  });
});

describe('the connections of a database in memory', () => {
  it('are one, without files', () => {
    const { writer, lookups, lists, databases, dataVersion, files } = connect(MEMORY);
    expect([lookups, lists]).toEqual([writer, writer]);
    expect([...databases.keys()]).toEqual([writer]);
    expect(dataVersion()).toBe(0);
    expect(files).toEqual({ database: undefined, companions: [] });
    expect(() => statSync(MEMORY)).toThrow('ENOENT');
  });

  it('are always in their place', () => {
    expect(() => checkInPlace(MEMORY, connect(MEMORY))).not.toThrow();
  });
});

describe('a file', () => {
  const REPLACED = new StoreError(
    'store_unavailable',
    'the database file or its write-ahead log was deleted or replaced; restore the file, or restart the process',
  );
  const touch = (ending: string) => writeFileSync(file + ending, '');

  it('that stays in its place can be opened again', () => {
    const connections = connect();
    expect(() => checkInPlace(file, connections)).not.toThrow();
    expect(canReopen(file, connections)).toBe(true);
    expect(hasSameDatabase(file, connections)).toBe(true);
  });

  it('that was deleted cannot be opened again', () => {
    const connections = connect();
    rmSync(file);
    expect(() => checkInPlace(file, connections)).toThrow(REPLACED);
    expect(canReopen(file, connections)).toBe(false);
    expect(hasSameDatabase(file, connections)).toBe(false);
    for (const ending of ['-wal', '-shm']) rmSync(file + ending);
    expect(canReopen(file, connections)).toBe(false);
  });

  it.each(['-wal', '-shm'])('whose %s was deleted or replaced can be opened again', (ending) => {
    const connections = connect();
    rmSync(file + ending);
    expect(() => checkInPlace(file, connections)).toThrow(REPLACED);
    expect(canReopen(file, connections)).toBe(true);
    expect(hasSameDatabase(file, connections)).toBe(true);
    touch('.new');
    renameSync(`${file}.new`, file + ending);
    expect(() => checkInPlace(file, connections)).toThrow(REPLACED);
    expect(canReopen(file, connections)).toBe(true);
  });

  it.each([[[]], [['-wal']], [['-shm']]])(
    'that was replaced cannot be opened beside an old companion; deleted: %j',
    (deleted) => {
      const connections = connect();
      touch('.new');
      renameSync(`${file}.new`, file);
      for (const ending of deleted) rmSync(file + ending);
      expect(() => checkInPlace(file, connections)).toThrow(REPLACED);
      expect(hasSameDatabase(file, connections)).toBe(false);
      expect(canReopen(file, connections)).toBe(false);
    },
  );

  it('that was replaced with its companions can be opened', () => {
    const connections = connect();
    for (const ending of ['', '-wal']) {
      touch('.new');
      renameSync(`${file}.new`, file + ending);
    }
    rmSync(`${file}-shm`);
    expect(canReopen(file, connections)).toBe(true);
    expect(hasSameDatabase(file, connections)).toBe(false);
  });
});

describe('connections that are closed', () => {
  it('end the writes that wait, with a reason, and leave no write-ahead log', async () => {
    const connections = connectSqlite(file, { exists: false });
    await write(connections, 1);
    await disconnectSqlite(connections, CLOSED);
    expect(connections.closing.signal.reason).toBe(CLOSED);
    expect([...connections.databases.values()].map(({ open: isOpen }) => isOpen)).toEqual([false, false, false]);
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });
});

it('a file that is no database is refused, and not changed', () => {
  writeFileSync(file, 'x'.repeat(5_000));
  expect(() => connect()).toThrow(StoreError);
  expect(statSync(file).size).toBe(5_000);
});
