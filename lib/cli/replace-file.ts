/** Replaces the content of a file. Where possible, a failure leaves the old content. */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Error codes if no new file can be created in the folder, or if the file cannot be replaced by another one, because it
 * is a mount point (as in a container) or the owner cannot be set.
 */
const NOT_REPLACEABLE = ['EACCES', 'EBUSY', 'EPERM', 'EROFS', 'EXDEV'];

/**
 * Replaces the content of a file by a new file with the same mode and owner. If the path is a symbolic link, its target
 * is replaced.
 *
 * In three cases the content is written in place, so that a failure can leave a part of it: the file does not exist
 * yet, it is not a regular file (such as `/dev/stdout`), or it cannot be replaced.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const old = await stat(path).catch(() => undefined);
  if (old?.isFile() && (await wasReplaced(path, text, old))) return;
  await writeFile(path, text);
}

async function wasReplaced(path: string, text: string, old: Stats): Promise<boolean> {
  try {
    // Checks first that the file is writable: a rename would replace a file even if its owner protected it from
    // writing.
    await access(path, constants.W_OK);
    await writeAside(await realpath(path), text, old);
    return true;
  } catch (error) {
    if (NOT_REPLACEABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function writeAside(target: string, text: string, { uid, gid, mode }: Stats): Promise<void> {
  // The temporary name does not contain the name of the target, which may already have the maximum length.
  const aside = join(dirname(target), `.${randomUUID()}.tmp`);
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      const own = await file.stat();
      if (uid !== own.uid || gid !== own.gid) await file.chown(uid, gid);
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, target);
  } finally {
    await rm(aside, { force: true });
  }
}
