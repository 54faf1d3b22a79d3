import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';
import { runSync } from '../support/run-sync.js';

const MODULE = pathToFileURL(join(ROOT, '.build/cli/encryption-key-file.js')).href;
/** Prints what a start of the command line reads as its key. */
const START = `import { encryptionKeysFrom } from ${JSON.stringify(MODULE)};
const io = { env: {}, stderr: { write: (text) => process.stderr.write(text) } };
process.stdout.write(encryptionKeysFrom(io, process.argv[1]).texts.join(' '));`;
const ARGS = ['--input-type=module', '-e', START];
const KEY = /^[\w-]{43}$/;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-key-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the file of the encryption key', () => {
  it('N30 100 concurrent first starts: one complete key', async () => {
    const path = join(folder, 'keyward.key');
    const run = promisify(execFile);
    const starts = await Promise.all(Array.from({ length: 100 }, () => run(process.execPath, [...ARGS, path])));
    const keys = new Set(starts.map(({ stdout }) => stdout));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(KEY);
    const said = starts.map(({ stderr }) => stderr).filter((text) => text !== '');
    const loss = 'without it, the signing keys in the database cannot be decrypted';
    expect(said).toEqual([
      `warning: the encryption key file ${path} was created; ${loss}; back it up, or put its content into the environment variable KEYWARD_ENCRYPTION_KEY\n`,
    ]);
    expect(readFileSync(path, 'utf8')).toBe(`${[...keys][0]}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keyward.key']);
  });

  it('N30 a full disk: an error, no file is left, and the next start creates the key', () => {
    const path = join(folder, 'keyward.key');
    // No file of this process may grow: writing fails as on a full disk, with EFBIG for ENOSPC.
    const script = `ulimit -f 0; exec "$0" "$@"`;
    const full = runSync('sh', ['-c', script, process.execPath, ...ARGS, path]);
    expect(full.status).not.toBe(0);
    expect(full.stderr).toContain(`cannot create the encryption key file ${path} (EFBIG)`);
    expect(readdirSync(folder)).toEqual([]);
    const next = runSync(process.execPath, [...ARGS, path]);
    expect(next.stdout).toMatch(KEY);
  });

  it('is not changed if it cannot be replaced', () => {
    const path = join(folder, 'keyward.key');
    const created = runSync(process.execPath, [...ARGS, path]).stdout;
    const replace = `import { writeKeyFile } from ${JSON.stringify(MODULE)}; writeKeyFile(process.argv[1], ['a', 'b']);`;
    const script = `ulimit -f 0; exec "$0" "$@"`;
    const args = ['-c', script, process.execPath, '--input-type=module', '-e', replace, path];
    const { status, stderr } = runSync('sh', args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(`cannot replace the encryption key file ${path} (EFBIG), so it was not changed`);
    expect(readFileSync(path, 'utf8')).toBe(`${created}\n`);
    expect(readdirSync(folder)).toEqual(['keyward.key']);
  });
});
