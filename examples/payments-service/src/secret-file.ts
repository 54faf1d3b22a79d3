/** Files that only their owner can read and write. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Reads a file; `undefined` if it does not exist. */
export function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file with mode 0600. */
export function writeSecretFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
