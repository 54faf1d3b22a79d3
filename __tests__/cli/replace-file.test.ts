import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { replaceFile } from '../../lib/cli/replace-file.js';
import { asNobody, isRoot, NOBODY } from '../support/as-nobody.js';

let folder: string;
let path: string;

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

describe('replaceFile', () => {
  it('writes in place if no file can be created in the folder', async () => {
    writeFileSync(path, 'a longer text that was there');
    const { ino } = statSync(path);
    chmodSync(join(folder, 'in'), 0o555);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    await asNobody(() => replaceFile(path, 'new'));
    expect([readFileSync(path, 'utf8'), statSync(path).ino]).toEqual(['new', ino]);
    expect(readdirSync(join(folder, 'in'))).toEqual(['openapi.yaml']);
  });

  it('creates a file that does not exist', async () => {
    await replaceFile(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('keeps owner and mode of the file', async () => {
    writeFileSync(path, 'old');
    const owner = isRoot ? { uid: 1_234, gid: 2_345 } : { uid: statSync(path).uid, gid: statSync(path).gid };
    if (isRoot) chownSync(path, owner.uid, owner.gid);
    chmodSync(path, 0o664);
    const { ino } = statSync(path);
    await replaceFile(path, 'new');
    const { uid, gid, mode, ino: next } = statSync(path);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ ...owner, mode: 0o664 });
    expect([readFileSync(path, 'utf8'), next === ino]).toEqual(['new', false]);
  });

  it('replaces a file whose name has the maximum length', async () => {
    path = join(folder, 'in', `${'x'.repeat(250)}.yaml`);
    writeFileSync(path, 'old');
    const { ino } = statSync(path);
    await replaceFile(path, 'new');
    expect([readFileSync(path, 'utf8'), statSync(path).ino === ino]).toEqual(['new', false]);
  });

  it('writes in place what is not a regular file', async () => {
    execFileSync('mkfifo', [path]);
    const pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      await replaceFile(path, 'new');
      expect(lstatSync(path).isFIFO()).toBe(true);
      const { buffer, bytesRead } = await pipe.read();
      expect(buffer.toString('utf8', 0, bytesRead)).toBe('new');
    } finally {
      await pipe.close();
    }
  });
});
