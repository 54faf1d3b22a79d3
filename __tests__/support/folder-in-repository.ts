import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';

/**
 * A folder for the modules of one test file, where they find the packages of the repository. It is removed after the
 * tests of the file.
 */
export function folderInRepository(prefix: string) {
  const folder = mkdtempSync(join(ROOT, prefix));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes a file, and returns its path. */
  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  return { folder, file };
}
