import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';
import { withStore } from '../../lib/cli/with-store.js';

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
