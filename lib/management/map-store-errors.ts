/** Converts each `StoreError` to a `ManagementError`. */
import { StoreError } from '../store/store-error.js';
import { ManagementError } from './management-error.js';

/**
 * Runs a function that uses the store. If it throws a `StoreError`, this throws a `ManagementError` instead, whose
 * `cause` is the `StoreError`. Other errors are thrown unchanged.
 *
 * @throws ManagementError `unavailable` if the store fails.
 */
export async function mapStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ManagementError('unavailable', 'the service is temporarily unavailable; try again', undefined, error);
  }
}
