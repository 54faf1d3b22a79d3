import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { build, ROOT } from '../examples/built-service.js';
import { runSync } from '../support/run-sync.js';

beforeAll(build);

it('N25 an incomplete write on a nearly full disk is an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-output-'));
  // One block of 512 bytes; without SIGXFSZ the write that goes over it is cut short, as on a nearly full disk.
  const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" "$1" keys create --help > "$2"`;
  const args = [process.execPath, join(ROOT, 'dist/cli/main.js'), join(folder, 'cut.txt')];
  const { status, stderr } = runSync('/bin/sh', ['-c', limited, ...args]);
  expect([status, stderr]).toEqual([4, expect.stringMatching(/^the output could not be written: EFBIG/)]);
  rmSync(folder, { recursive: true, force: true });
});
