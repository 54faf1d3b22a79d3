import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build, ROOT } from '../examples/built-service.js';

const MODULE = pathToFileURL(join(ROOT, '.build/cli/replace-file.js')).href;
const REPLACE = `import { replaceFile } from ${JSON.stringify(MODULE)};
await replaceFile(process.argv[1], 'new').catch(({ code }) => process.stdout.write(code));`;
/** A user without rights: root may write every file. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let folder: string;
let path: string;

beforeAll(build);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-replace-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'in'));
  path = join(folder, 'in/openapi.yaml');
});
afterEach(() => {
  chmodSync(join(folder, 'in'), 0o755);
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces the file as a user without rights; returns the code of the error, or `''`. */
function replaceAsNobody(): string {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  return replace(isRoot ? { uid: NOBODY, gid: NOBODY } : {});
}

function replace(user: { readonly uid?: number; readonly gid?: number } = {}): string {
  const args = ['--input-type=module', '-e', REPLACE, path];
  const { stdout, stderr } = spawnSync(process.execPath, args, { ...user, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

describe('replaceFile', () => {
  it('writes in place if no file can be created in the folder', () => {
    writeFileSync(path, 'a longer text that was there');
    const { ino } = statSync(path);
    chmodSync(join(folder, 'in'), 0o555);
    expect(replaceAsNobody()).toBe('');
    expect([readFileSync(path, 'utf8'), statSync(path).ino]).toEqual(['new', ino]);
    expect(readdirSync(join(folder, 'in'))).toEqual(['openapi.yaml']);
  });

  it('does not replace a file that is protected from writing, although its folder is not', () => {
    writeFileSync(path, 'old', { mode: 0o444 });
    chmodSync(join(folder, 'in'), 0o777);
    expect(replaceAsNobody()).toBe('EACCES');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(join(folder, 'in'))).toEqual(['openapi.yaml']);
  });

  it('creates a file that does not exist', () => {
    expect(replace()).toBe('');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('keeps owner and mode of the file', () => {
    writeFileSync(path, 'old');
    const owner = isRoot ? { uid: 1_234, gid: 2_345 } : { uid: statSync(path).uid, gid: statSync(path).gid };
    if (isRoot) chownSync(path, owner.uid, owner.gid);
    chmodSync(path, 0o664);
    const { ino } = statSync(path);
    expect(replace()).toBe('');
    const { uid, gid, mode, ino: next } = statSync(path);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ ...owner, mode: 0o664 });
    expect([readFileSync(path, 'utf8'), next === ino]).toEqual(['new', false]);
  });

  it('replaces a file whose name has the maximum length', () => {
    path = join(folder, 'in', `${'x'.repeat(250)}.yaml`);
    writeFileSync(path, 'old');
    const { ino } = statSync(path);
    expect(replace()).toBe('');
    expect([readFileSync(path, 'utf8'), statSync(path).ino === ino]).toEqual(['new', false]);
  });
});
