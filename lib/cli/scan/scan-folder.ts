/** Finds keys in the files of a folder, or in one file. The keys are not sent anywhere. */
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { keywardFormat } from '../../credentials/keyward-format.js';
import { hintOf } from '../../credentials/secret-hint.js';
import { CliError, EXIT } from '../cli-error.js';

export interface FoundKey {
  /** The path of the file, relative to the folder. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  readonly environment: string;
  /** The hint of the key, such as `sk_…abcd`. The key itself must not be printed. */
  readonly hint: string;
}

const SKIPPED = ['.git', 'node_modules'];
/**
 * Maximum size of a file in bytes. Larger files in a folder are probably data and not source code, so they are skipped.
 * If the user named the large file itself, a warning says that it was not searched.
 */
const MAX_SIZE = 10_000_000;

/** The encoding of a file that starts with this byte order mark. */
const ENCODINGS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/**
 * Yields the place and the hint of each key in the files of a folder, never the key itself. A key is a text that
 * matches the pattern and has the right check characters; it may be revoked or unknown.
 *
 * @param onUnreadable - Called for each file or folder that cannot be read; the search continues.
 */
export async function* scanFolder(
  folder: string,
  pattern: RegExp,
  onUnreadable: (error: Error) => undefined,
): AsyncGenerator<FoundKey> {
  for await (const path of filesOf(folder, onUnreadable)) {
    const bytes = await readFile(path).catch(onUnreadable);
    const text = bytes === undefined ? '' : decode(bytes);
    for (const match of text.matchAll(pattern)) {
      const [key] = match;
      const reading = keywardFormat.read(key);
      if (typeof reading !== 'object') continue;
      const before = text.slice(0, match.index).split('\n');
      yield {
        file: relative(folder, path) || path,
        line: before.length,
        column: (before.at(-1)?.length ?? 0) + 1,
        kind: reading.kind,
        environment: reading.environment,
        hint: hintOf(key, reading.kind),
      };
    }
  }
}

/**
 * Decodes a file with the encoding of its byte order mark, or else as UTF-8. Keys are ASCII, so they are found in
 * Latin-1 and other extensions of ASCII too.
 */
function decode(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  return new TextDecoder(ENCODINGS[mark] ?? 'utf-8').decode(bytes);
}

/**
 * Yields the files of a folder and its subfolders, or the path itself if it is a file. A link is followed only if the
 * user named it: other links can lead out of the folder, or form a cycle.
 *
 * @param isGiven - Whether the user named this path; `false` if it was found in a folder.
 */
async function* filesOf(
  path: string,
  onUnreadable: (error: Error) => undefined,
  isGiven = true,
): AsyncGenerator<string> {
  const status = await (isGiven ? stat : lstat)(path).catch((error: Error) => {
    if (isGiven) throw new CliError(`${path} does not exist or cannot be read`, EXIT.usage);
    return onUnreadable(error);
  });
  if (status === undefined) return;
  const isTooLarge = status.size > MAX_SIZE;
  if (status.isFile() && !isTooLarge) yield path;
  if (status.isFile() && isTooLarge && isGiven) {
    onUnreadable(
      new Error(
        `${path} is larger than ${MAX_SIZE / 1_000_000} MB, so it was not searched; split it into smaller files`,
      ),
    );
  }
  if (!status.isDirectory()) return;
  for (const name of ((await readdir(path).catch(onUnreadable)) ?? []).sort()) {
    if (!SKIPPED.includes(name)) yield* filesOf(join(path, name), onUnreadable, false);
  }
}
