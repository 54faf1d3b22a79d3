/** Small files that only this user can read. */
import { readFileSync, writeFileSync } from 'node:fs';

/** What a file says; `undefined` where there is none. */
export function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file that only its owner may read and write. */
export function writeSecretFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
