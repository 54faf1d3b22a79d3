import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';
import { withStore } from '../../lib/cli/with-store.js';
import { ManagementError } from '../../lib/management/management-error.js';
import { StoreError } from '../../lib/store/store-error.js';
import { onLinux } from '../support/on-linux.js';
import { openFiles } from '../support/open-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-with-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const io = { env: {} } as Io;

onLinux('the store is closed before a command ends, after a failure too', async () => {
  const database = `file:${join(folder, 'keyward.db')}`;
  expect(await withStore(io, { database }, async () => openFiles(folder).length > 0)).toBe(true);
  expect(openFiles(folder)).toEqual([]);
  const failing = withStore(io, { database }, () => Promise.reject(new Error('a fault')));
  await expect(failing).rejects.toThrow('a fault');
  expect(openFiles(folder)).toEqual([]);
});

describe('the error of a command', () => {
  const NO_ACCOUNT = 'there is no account "acme" in memory:; to create one, run: keyward accounts put ID --api NAME';
  const noAccount = () => new ManagementError('not_found', 'the account was not found');
  const refused = new StoreError('store_unavailable', 'the database refused the write (08006)');

  /** The error that a command ends with, if its work fails with another one. */
  const errorOf = async (error: unknown, account?: string): Promise<unknown> =>
    await withStore(io, { database: 'memory:', ...(account === undefined ? {} : { account }) }, () =>
      Promise.reject(error),
    ).catch((failure: unknown) => failure);

  it('names the account that does not exist, and the database', async () => {
    expect(await errorOf(noAccount(), 'acme')).toMatchObject({ name: 'CliError', message: NO_ACCOUNT, exitCode: 1 });
  });

  it('names the database that failed', async () => {
    const failure = new ManagementError('unavailable', 'the store failed', undefined, refused);
    expect(await errorOf(failure, 'acme')).toMatchObject({
      name: 'CliError',
      message: 'the database memory: returned an error: the database refused the write (08006)',
      exitCode: 3,
    });
  });

  it.each<[string, unknown, string | undefined]>([
    ['about an account that no option names', noAccount(), undefined],
    ['about another thing that does not exist', new ManagementError('not_found', 'the key was not found'), 'acme'],
    ['about an account that exists', new ManagementError('forbidden', 'the account is closed'), 'acme'],
    ['of a store, for another reason', new ManagementError('forbidden', 'no', undefined, refused), 'acme'],
    ['without a cause', new ManagementError('unavailable', 'the store failed'), 'acme'],
    ['of another kind', Object.assign(new Error('the account was lost'), { code: 'not_found' }), 'acme'],
    ['that is no error', undefined, 'acme'],
  ])('stays as it is: one %s', async (_what, error, account) => {
    expect(await errorOf(error, account)).toBe(error);
  });
});
