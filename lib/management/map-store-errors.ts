/** Converts errors of the store to management errors. */
import { StoreError } from '../store/store-error.js';
import { ManagementError } from './management-error.js';

/**
 * Runs work on the store, and converts its errors.
 *
 * @throws ManagementError `unavailable` if the store fails.
 */
export async function mapStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ManagementError('unavailable', 'the store is not available; try again', undefined, error);
  }
}
