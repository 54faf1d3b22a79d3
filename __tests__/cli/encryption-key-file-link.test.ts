import * as fs from 'node:fs';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';

jest.unstable_mockModule('node:fs', () => ({
  ...fs,
  linkSync() {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  },
}));
const { encryptionKeysFrom } = await import('../../lib/cli/encryption-key-file.js');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-key-link-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file system without links has no key file, and the message says what to do', () => {
  const path = join(folder, 'keyward.key');
  expect(() => encryptionKeysFrom({ env: {} } as Io, path)).toThrow(
    expect.objectContaining({
      message: `cannot create the encryption key file ${path} (EPERM); choose a path in a writable folder with --encryption-key-file, or set KEYWARD_ENCRYPTION_KEY`,
      exitCode: 2,
    }),
  );
  expect(readdirSync(folder)).toEqual([]);
});
