/** Checks, in the transaction of a change, that the account of the key allows the change. */
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
  const account = await tx.account(id);
  if (account === undefined) throw noSuchAccount();
  if (account.disabled_at === null) return;
  throw new ManagementError('forbidden', 'the account is disabled; ask the operator to enable it');
}

/**
 * Checks the settings of a key against what its account may give its keys.
 *
 * @throws ManagementError `invalid` if the key would have an API, scope, channel or platform that its account does not
 *   have.
 */
export async function assertEntitled(tx: RepositoryTransaction, columns: SettingColumns, id: string): Promise<void> {
  const account = await tx.account(id);
  if (account === undefined) throw noSuchAccount();
  checkEntitlement(toKeyEntitlement(columns), toAccountEntitlement(account));
}
