import { StoreError } from '../store-error.js';

/** Maximum milliseconds for which work is retried while another process locks the database. */
const GIVE_UP_AFTER = 5_000;
/** Average milliseconds between two attempts. Each delay is random, so that two processes do not collide again. */
const RETRY_EVERY = 20;

/**
 * Runs work, and retries it while another process locks the database.
 *
 * @param since - The `performance.now()` from which the five seconds are counted. Default: now.
 */
export async function retryWhileLocked<T>(work: () => Promise<T>, since = performance.now()): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || mustGiveUp(since)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY * (0.5 + Math.random())));
    }
  }
}

/** Checks whether an error means that another process locks the database. */
export function isLocked(error: unknown): error is StoreError {
  return error instanceof StoreError && error.driverCode.startsWith('SQLITE_BUSY');
}

/** Checks whether work that waits since then must give up. */
export function mustGiveUp(since: number): boolean {
  return performance.now() - since > GIVE_UP_AFTER;
}
