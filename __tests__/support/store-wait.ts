const LOOK_EVERY = 5;

/**
 * Waits until something holds, for what another process, a server or a timer does.
 *
 * @param within - Milliseconds, then it fails. Bounds are compared with the result, so that a busy machine only takes longer.
 * @returns How long it took: milliseconds.
 */
export async function eventually(holds: () => boolean | Promise<boolean>, within = 30_000): Promise<number> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > within) throw new Error(`it did not hold within ${within} ms: ${holds}`);
    await pause(LOOK_EVERY);
  }
  return performance.now() - start;
}

/** Lets time pass in which something must not happen. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
