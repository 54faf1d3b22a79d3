/** Runs a transaction, and retries it if it conflicts with another transaction. */
import type { Repository, RepositoryTransaction } from '../store/repository/repository.js';
import { StoreError } from '../store/store-error.js';
import { mapStoreErrors } from './map-store-errors.js';

/** How often a transaction is retried after a conflict with another transaction. */
const MAX_RETRIES = 3;

/**
 * Runs work in a transaction. If another process inserts the same row first, the transaction fails with a conflict. The
 * work is then run again, and finds the row of the other process.
 *
 * @throws ManagementError `unavailable` if the store fails.
 */
export function retryTransaction<T>(
  repository: Repository,
  work: (tx: RepositoryTransaction) => Promise<T>,
): Promise<T> {
  return mapStoreErrors(async () => {
    for (let left = MAX_RETRIES; ; left -= 1) {
      try {
        return await repository.transact(work);
      } catch (error) {
        if (left === 0 || !(error instanceof StoreError) || error.code !== 'store_conflict') throw error;
      }
    }
  });
}
