import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';
import { withStore } from '../../lib/cli/with-store.js';
import { build, ROOT } from '../examples/built-service.js';

beforeAll(build);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-with-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const io = { env: {} } as Io;
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('the store is closed before a command ends, after a failure too', async () => {
  const database = `file:${join(folder, 'keyward.db')}`;
  expect(await withStore(io, { database }, async () => openFiles().length > 0)).toBe(true);
  expect(openFiles()).toEqual([]);
  const failing = withStore(io, { database }, () => Promise.reject(new Error('a fault')));
  await expect(failing).rejects.toThrow('a fault');
  expect(openFiles()).toEqual([]);
});

it('a user without a name, as in a container, is named by a number', async () => {
  const nameless = `import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.userInfo = () => { throw Object.assign(new Error('uv_os_get_passwd'), { code: 'ERR_SYSTEM_ERROR' }); };
syncBuiltinESMExports();`;
  const database = `file:${join(folder, 'keyward.db')}`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(nameless)}`, join(ROOT, 'dist/cli/main.js')];
  const put = spawnSync(process.execPath, [...args, 'accounts', 'put', 'acme', '--api', 'a', '--database', database]);
  expect(put.stderr.toString()).toBe('');
  const { items } = await withStore(io, { database }, ({ management }) => management.accounts.audit({}));
  expect(items.map(({ actor }) => actor)).toEqual([`cli:uid-${process.getuid?.()}`]);
});

function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // The descriptor that read the folder is closed by now.
      return [];
    }
  });
}
