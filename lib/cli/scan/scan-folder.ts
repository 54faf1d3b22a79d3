/** Finds keys in the files of a folder, in one file, or in a pipe. The keys are not sent anywhere. */
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
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
/** How much of a pipe or device is read at most, in bytes. */
const MAX_STREAM = 200_000_000;

/** The encoding of a file that starts with this byte order mark. */
const ENCODINGS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/**
 * Yields the place and the hint of each key in the files of a folder, never the key itself. The user may also name a
 * file, or a pipe such as `/dev/stdin`. A key is a text that matches the pattern and has the right check characters; it
 * may be revoked or unknown.
 *
 * @param onUnreadable - Called for each file or folder that cannot be read; the search continues.
 */
export async function* scanFolder(
  folder: string,
  pattern: RegExp,
  onUnreadable: (error: Error) => undefined,
): AsyncGenerator<FoundKey> {
  for await (const { path, isStream } of filesOf(folder, onUnreadable)) {
    const bytes = await (isStream ? readStream(path, onUnreadable) : readFile(path)).catch(onUnreadable);
    const text = bytes === undefined ? '' : decode(bytes);
    let line = 1;
    let lineStart = 0;
    let searched = 0;
    for (const match of text.matchAll(pattern)) {
      const [key] = match;
      const reading = keywardFormat.read(key);
      if (typeof reading !== 'object') continue;
      // Only from the previous key, so that the time does not grow with the square of the number of keys.
      const between = text.slice(searched, match.index).split('\n');
      line += between.length - 1;
      if (between.length > 1) lineStart = match.index - (between.at(-1)?.length ?? 0);
      searched = match.index;
      yield {
        file: relative(folder, path) || path,
        line,
        column: match.index - lineStart + 1,
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

/** Reads a pipe or a device to its end. If it is too long, only its start is searched, and `onUnreadable` is called. */
async function readStream(path: string, onUnreadable: (error: Error) => undefined): Promise<Buffer> {
  const bytes = await buffer(createReadStream(path, { end: MAX_STREAM }));
  if (bytes.length <= MAX_STREAM) return bytes;
  onUnreadable(new Error(`only the first ${MAX_STREAM / 1_000_000} MB of ${path} were searched; split it`));
  return bytes.subarray(0, MAX_STREAM);
}

interface FileToScan {
  readonly path: string;
  /** Whether it is a pipe or a device, which has no size. */
  readonly isStream: boolean;
}

/**
 * Yields the files of a folder and its subfolders, or the path itself if it is not a folder. A pipe or a device is read
 * only if the user named it: reading one that was found in a folder could wait forever. A link is followed only if the
 * user named it: other links can lead out of the folder, or form a cycle.
 *
 * @param isGiven - Whether the user named this path; `false` if it was found in a folder.
 */
async function* filesOf(
  path: string,
  onUnreadable: (error: Error) => undefined,
  isGiven = true,
): AsyncGenerator<FileToScan> {
  const status = await (isGiven ? stat : lstat)(path).catch((error: Error) => {
    if (isGiven) throw new CliError(`${path} does not exist or cannot be read`, EXIT.usage);
    return onUnreadable(error);
  });
  if (status === undefined) return;
  const isTooLarge = status.size > MAX_SIZE;
  if (status.isFile() && !isTooLarge) yield { path, isStream: false };
  if (isGiven && !status.isFile() && !status.isDirectory()) yield { path, isStream: true };
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
