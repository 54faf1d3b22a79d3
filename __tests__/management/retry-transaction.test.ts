import { describe, expect, it } from '@jest/globals';
import { retryTransaction } from '../../lib/management/retry-transaction.js';
import { type Repository, StoreError, type StoreErrorCode } from '../../lib/store/index.js';
import { hostile, refusalOf } from '../support/managed.js';

/** Fails with each error in turn, then succeeds; counts the transactions. */
function failing(...errors: readonly unknown[]) {
  let count = 0;
  const transact = async () => {
    count += 1;
    if (count <= errors.length) throw errors[count - 1];
    return count;
  };
  return { repository: hostile<Repository>({ transact }), count: () => count };
}

const failed = (code: StoreErrorCode) => new StoreError(code, 'failed');
const conflicts = (count: number) => Array.from({ length: count }, () => failed('store_conflict'));
const work = async () => 0;

describe('a transaction', () => {
  it.each([0, 1, 2, 3])('is run again after %i conflicts', async (count) => {
    const { repository } = failing(...conflicts(count));
    expect(await retryTransaction(repository, work)).toBe(count + 1);
  });

  it('is run at most four times', async () => {
    const { repository, count } = failing(...conflicts(9));
    expect(await refusalOf(retryTransaction(repository, work))).toMatchObject({ status: 503, code: 'unavailable' });
    expect(count()).toBe(4);
  });

  it('is run once if the store fails for another reason', async () => {
    const { repository, count } = failing(failed('store_unavailable'));
    expect(await refusalOf(retryTransaction(repository, work))).toMatchObject({ status: 503, code: 'unavailable' });
    expect(count()).toBe(1);
  });

  it.each([new TypeError('wrong'), { code: 'store_conflict' }])('is run once if its work throws %p', async (error) => {
    const { repository, count } = failing(error);
    await expect(retryTransaction(repository, work)).rejects.toBe(error);
    expect(count()).toBe(1);
  });
});
