/** The same store three times: in memory, in a file, and in a real PostgreSQL where the environment names one. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { onDatabase } from './store-database.js';

/** A place for one store, gone after the test. */
export interface TestPlace {
  readonly url: string;
  /** Removes what was made there. */
  remove(): Promise<void>;
}

/** `postgres://…` of a server that tests may make schemas on. Without it they are left out. */
export const POSTGRES = process.env.KEYWARD_TEST_POSTGRES;

/** A suite of what needs a server. */
export const onServer = POSTGRES === undefined ? describe.skip : describe;

export const placesOf = {
  memory: async (): Promise<TestPlace> => ({ url: 'memory:', remove: async () => undefined }),
  async SQLite(): Promise<TestPlace> {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-store-'));
    return {
      url: `file:${join(folder, 'keyward.db')}`,
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  async PostgreSQL(): Promise<TestPlace> {
    if (POSTGRES === undefined) throw new Error('KEYWARD_TEST_POSTGRES is not set');
    const schema = `test_${randomBytes(6).toString('hex')}`;
    const server = POSTGRES;
    const url = new URL(server);
    url.searchParams.set('schema', schema);
    return {
      url: url.href,
      async remove() {
        await onDatabase(server, `drop schema if exists "${schema}" cascade`);
      },
    };
  },
};

export type EngineName = keyof typeof placesOf;

/** Those that can be tried here. */
export const engines: readonly EngineName[] =
  POSTGRES === undefined ? ['memory', 'SQLite'] : ['memory', 'SQLite', 'PostgreSQL'];

/** Those that several processes or connections can share. */
export const sharedEngines = engines.filter((name) => name !== 'memory');
