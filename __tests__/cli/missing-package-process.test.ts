import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from '../examples/built-service.js';
import { type Installed, installedWith } from './installed-with.js';

const NEEDED = ['commander', 'express', 'jose', 'lru-cache', 'rate-limiter-flexible'];
const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0'];
const POSTGRES = ['--database', 'postgres://ada:pw-canary@127.0.0.1:1/x'];

let installed: Installed;

beforeAll(build);
afterEach(() => installed.remove());

describe('a package that is not installed', () => {
  it.each([
    ['kysely', [], ['accounts', 'list'], 'kysely better-sqlite3'],
    ['kysely', [], SERVE, 'kysely better-sqlite3'],
    ['better-sqlite3', ['kysely'], ['migrate'], 'kysely better-sqlite3'],
    ['pg', ['kysely', 'better-sqlite3'], ['accounts', 'list', ...POSTGRES], 'kysely pg'],
    ['csv-parse', ['kysely', 'better-sqlite3'], ['keys', 'import', 'keys.csv', '--account', 'acme'], 'csv-parse'],
  ])('is named in one sentence: %s', async (_missing, there, args, packages) => {
    installed = installedWith([...NEEDED, ...there]);
    writeFileSync(join(installed.folder, 'keys.csv'), 'digest,kind,apis\n');
    expect(await installed.run(...args)).toEqual({
      ...{
        code: 3,
        out: '',
        err: `a package that this command needs is not installed; run: npm install ${packages}\n`,
      },
    });
    expect(existsSync(join(installed.folder, 'keyward.key'))).toBe(false);
  });

  it('is not needed by commands without a store', async () => {
    installed = installedWith(NEEDED);
    expect(await installed.run('keys', 'patterns')).toMatchObject({ code: 0, err: '' });
  });

  it('that is not compiled: the message says how to fix it', async () => {
    installed = installedWith([...NEEDED, 'kysely', 'bindings', 'file-uri-to-path']);
    const { code, out, err } = await installed.run('accounts', 'list');
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(/^file:\.\/keyward\.db: .*better-sqlite3 is not built .*: npm rebuild better-sqlite3\n$/);
  });
});
