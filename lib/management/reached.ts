/** What goes wrong in the store, as those who act are told of it. */
import type { Ledger, LedgerTransaction } from '../store/ledger.js';
import { StoreError } from '../store/store-error.js';
import { ManagementError } from './management-error.js';

/** How often a transaction is run again that met another one's row. */
const TRIES = 3;

/** @throws ManagementError `unavailable` where the store fails. */
export async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ManagementError('unavailable', 'the store cannot be reached; try again', undefined, error);
  }
}

/**
 * Runs work in a transaction, again where another writer made a row of the same name in between: then it finds that row.
 *
 * @throws ManagementError `unavailable` where the store fails.
 */
export function transactOn<T>(ledger: Ledger, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  return reached(async () => {
    for (let left = TRIES; ; left -= 1) {
      try {
        return await ledger.transact(work);
      } catch (error) {
        if (left === 0 || !(error instanceof StoreError) || error.code !== 'store_conflict') throw error;
      }
    }
  });
}
