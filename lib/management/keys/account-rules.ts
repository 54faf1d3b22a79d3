/**
 * Checks, in the transaction of a change, that the account of the key allows the change. The account is locked, because
 * otherwise an operator could disable it, or remove an API, between the check and the commit. The lock is exclusive:
 * with shared locks (`for share`), members who create keys without a pause would make every change of the account time
 * out, because PostgreSQL grants a shared lock before an exclusive one that waits.
 */
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import { toAccountEntitlement } from '../accounts/account-view.js';
import { checkEntitlement } from '../entitlement.js';
import { ManagementError, noSuchAccount } from '../management-error.js';
import { type SettingColumns, toKeyEntitlement } from './key-settings.js';

/**
 * Checks that an account is not disabled.
 *
 * @throws ManagementError `forbidden` if the account is disabled; `not_found` if there is no such account.
 */
export async function assertEnabled(tx: RepositoryTransaction, id: string): Promise<void> {
  const account = await tx.lockAccount(id);
  if (account === undefined) throw noSuchAccount();
  if (account.disabled_at === null) return;
  throw new ManagementError(
    'forbidden',
    'the account is disabled; it must be enabled before this operation is allowed',
  );
}

/**
 * Checks that an account has the APIs, scopes, channels and platform of a key.
 *
 * @throws ManagementError `invalid` if the account lacks one of them, or if the key has a platform but not exactly one
 *   channel; `not_found` if there is no such account.
 */
export async function assertEntitled(tx: RepositoryTransaction, columns: SettingColumns, id: string): Promise<void> {
  const account = await tx.lockAccount(id);
  if (account === undefined) throw noSuchAccount();
  checkEntitlement(toKeyEntitlement(columns), toAccountEntitlement(account));
}
