/**
 * Reads the keys that encrypt the signing keys in the database. They are in an environment variable, or in a file that
 * only this user can read. This module also creates the file, and replaces the keys in it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SYMMETRIC_KEY_BYTES } from '../options/symmetric-key.js';
import { CliError, EXIT, readErrorOf } from './cli-error.js';
import type { Io } from './io.js';
import { printWarning } from './terminal/output.js';

const ENCRYPTION_KEY_VARIABLE = 'KEYWARD_ENCRYPTION_KEY';

export interface EncryptionKeys {
  /**
   * The encryption keys. The first key encrypts; the other keys only decrypt signing keys that were encrypted with
   * them.
   */
  readonly texts: readonly string[];
  /** The name of the variable or file that contains the keys. */
  readonly source: string;
  /** Whether the keys are in a file, and not in the environment variable. */
  readonly file: boolean;
}

/**
 * Reads the encryption keys. If there are none, it creates a file with a new key, and prints a warning about this file
 * on standard error.
 *
 * @param path - The file. It is created only if it does not exist and the environment variable is not set.
 * @param isJson - Whether the warning is printed as JSON.
 */
export function encryptionKeysFrom(io: Io, path: string, isJson?: boolean): EncryptionKeys {
  const isCreated = encryptionKeysOf(io) === undefined && !exists(path) && createKeyFile(path, [makeEncryptionKey()]);
  if (isCreated) {
    const loss = 'without it, the signing keys in the database cannot be decrypted';
    const remedy = `back it up, or put its content into the environment variable ${ENCRYPTION_KEY_VARIABLE}`;
    printWarning(io, isJson, `the encryption key file ${resolve(path)} was created; ${loss}; ${remedy}`);
  }
  return readEncryptionKeys(io, path);
}

/**
 * Reads the encryption keys. It creates no key, because a new key could not decrypt the signing keys of an existing
 * database.
 *
 * @throws CliError if there are no keys, or if other users can read the file.
 */
export function readEncryptionKeys(io: Io, path: string): EncryptionKeys {
  const given = encryptionKeysOf(io);
  if (given !== undefined) return given;
  if (!exists(path)) {
    throw new CliError(
      `the encryption key file ${path} does not exist; pass the path of the existing file with --encryption-key-file, or set ${ENCRYPTION_KEY_VARIABLE} to the key`,
      EXIT.usage,
    );
  }
  return { texts: keysIn(path), source: path, file: true };
}

/** Returns the keys of the environment variable, which are separated by commas; `undefined` if it is not set. */
function encryptionKeysOf({ env }: Io): EncryptionKeys | undefined {
  const given = env[ENCRYPTION_KEY_VARIABLE];
  if (given === undefined || given === '') return undefined;
  return { texts: given.split(',').map((text) => text.trim()), source: ENCRYPTION_KEY_VARIABLE, file: false };
}

export function makeEncryptionKey(): string {
  return randomBytes(SYMMETRIC_KEY_BYTES).toString('base64url');
}

/**
 * Replaces the keys in a file atomically: another process that reads the file gets either the old keys or the new keys.
 * If the path is a symbolic link, its target is replaced. The file keeps its owner.
 */
export function writeKeyFile(path: string, texts: readonly string[]): void {
  const target = realpathSync(path);
  const { uid, gid } = statSync(target);
  const failure = (code: string | undefined) =>
    `cannot replace the encryption key file ${path} (${code}), so it was not changed; make sure that its folder is writable and has free space, and run the command again`;
  writeAside(target, texts, failure, (aside) => {
    if (uid !== process.getuid?.()) chownSync(aside, uid, gid);
    renameSync(aside, target);
  });
}

function keysIn(path: string): readonly string[] {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new CliError(
      `other users have access to the encryption key file ${path}; run: chmod 600 ${path}`,
      EXIT.usage,
    );
  }
  try {
    return readFileSync(path, 'utf8').trim().split(/\s+/);
  } catch (error) {
    throw readErrorOf(`the encryption key file ${path}`, error);
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Creates the file if it does not exist. If several processes start at the same time, one of them creates the file, and
 * all of them use its key.
 *
 * @returns Whether this process created the file.
 */
function createKeyFile(path: string, texts: readonly string[]): boolean {
  let isCreated = true;
  const failure = (code: string | undefined) =>
    `cannot create the encryption key file ${path} (${code}); choose a path in a writable folder with --encryption-key-file, or set ${ENCRYPTION_KEY_VARIABLE}`;
  writeAside(path, texts, failure, (aside) => {
    try {
      // A rename could replace a file that another process has just created. `link` fails if the file exists, and the
      // file is complete as soon as it appears.
      linkSync(aside, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      isCreated = false;
    }
  });
  return isCreated;
}

/**
 * Writes the keys to a temporary file, which `place` moves to `path`. If the keys were written to `path` directly, a
 * full disk could leave an empty file. The next start would read an empty key from it.
 */
function writeAside(
  path: string,
  texts: readonly string[],
  failure: (code: string | undefined) => string,
  place: (aside: string) => void,
): void {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(aside, 'wx', 0o600);
    try {
      const bytes = Buffer.from(`${texts.join('\n')}\n`);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    place(aside);
  } catch (error) {
    throw new CliError(failure(codeOf(error)), EXIT.usage);
  } finally {
    rmSync(aside, { force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The option `--encryption-key-file` of a command. */
export interface KeyFileOption {
  readonly encryptionKeyFile: string;
}

/** Adds the option `--encryption-key-file` to a command. */
export function withKeyFile(command: Command): Command {
  return command.option(
    '--encryption-key-file <path>',
    'the file with the key that encrypts the signing keys; this option is ignored if KEYWARD_ENCRYPTION_KEY is set',
    './keyward.key',
  );
}
