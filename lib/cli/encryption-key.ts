/** What signing keys are encrypted with: from the environment, or a file that nobody else may read. */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { CliError, EXIT, type Io } from './io.js';

const BYTES = 32;

export interface EncryptionKey {
  readonly text: string;
  /** The variable, or the file. */
  readonly saidBy: string;
}

/** @param path - A file that is made where there is none, if the environment has no key. */
export function encryptionKeyFrom(io: Io, path: string): EncryptionKey {
  const given = io.env.KEYWARD_ENCRYPTION_KEY;
  if (given !== undefined && given !== '') return { text: given, saidBy: 'KEYWARD_ENCRYPTION_KEY' };
  return { text: keyIn(path), saidBy: path };
}

function keyIn(path: string): string {
  try {
    const made = randomBytes(BYTES).toString('base64url');
    // Made only where there is none, even if two processes start at once.
    writeFileSync(path, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new CliError(`${path} can be read by others: chmod 600 ${path}`, EXIT.usage);
  }
  return readFileSync(path, 'utf8').trim();
}
