import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { build, ROOT } from '../examples/built-service.js';
import { isRoot, NOBODY } from '../support/as-nobody.js';
import { runSync } from '../support/run-sync.js';

beforeAll(build);

describe('keyward keys scan', () => {
  it('goes on after a file or folder that cannot be read, and does not end with 0', () => {
    const guarded = mkdtempSync(join(tmpdir(), 'keyward-unreadable-'));
    chmodSync(guarded, 0o755);
    for (const name of ['a', 'd']) mkdirSync(join(guarded, name), { mode: name === 'a' ? 0 : 0o755 });
    writeFileSync(join(guarded, 'b'), '', { mode: 0 });
    // Its names can be read, but not its files.
    mkdirSync(join(guarded, 'c'));
    writeFileSync(join(guarded, 'c/f'), '');
    chmodSync(join(guarded, 'c'), 0o444);
    const scan = () => {
      const user = isRoot ? { uid: NOBODY } : {};
      const args = [join(ROOT, 'dist/cli/main.js'), 'keys', 'scan', guarded, '--json'];
      const { status, stdout, stderr } = runSync(process.execPath, args, user);
      return { status, found: JSON.parse(stdout).found.length, warned: stderr.match(/EACCES/g)?.length, stderr };
    };
    expect(scan()).toMatchObject({ status: 2, found: 0, warned: 3, stderr: expect.stringContaining('3 files or') });
    writeFileSync(join(guarded, 'd/e'), mintKey('secret', 'sandbox'));
    expect(scan()).toMatchObject({ status: 1, found: 1, warned: 3 });
    chmodSync(join(guarded, 'c'), 0o755);
    rmSync(guarded, { recursive: true });
  });
});
