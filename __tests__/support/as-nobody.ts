/** A user without rights. */
export const NOBODY = 65_534;

export const isRoot = process.getuid?.() === 0;

/** Does work as a user without rights where the tests run as root, who may read and write every file. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return await work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
