/** Replaces the content of a file. If this fails, the file keeps its old content where possible. */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Error codes that mean that a new file cannot replace the old one: its folder is not writable, its owner cannot be
 * set, or the old file is a mount point, as in a container.
 */
const NOT_REPLACEABLE = ['EACCES', 'EBUSY', 'EPERM', 'EROFS', 'EXDEV'];

/**
 * Replaces a file with a new file that has the same mode and owner. If the path is a symbolic link, its target is
 * replaced.
 *
 * In three cases the content is written to the file directly, so a failure can leave a part of it: the file does not
 * exist yet, it is not a regular file (such as `/dev/stdout`), or it cannot be replaced.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const old = await stat(path).catch(() => undefined);
  if (old?.isFile() && (await wasReplaced(path, text, old))) return;
  await writeFile(path, text);
}

async function wasReplaced(path: string, text: string, old: Stats): Promise<boolean> {
  try {
    // A rename needs no write permission for the file itself, so this is checked first: a write-protected file must not
    // be replaced.
    await access(path, constants.W_OK);
    await writeAside(await realpath(path), text, old);
    return true;
  } catch (error) {
    if (NOT_REPLACEABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function writeAside(target: string, text: string, { uid, gid, mode }: Stats): Promise<void> {
  // The temporary name does not contain the name of the file, because that name may already have the maximum length.
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
