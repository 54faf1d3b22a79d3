/** The choices of a form: the entitlement of the member's account. */

import type { AccountEntitlement } from '../../management/entitlement.js';
import { ManagementError } from '../../management/management-error.js';
import type { PageContext } from '../http/page-context.js';

export interface AccountOptions extends AccountEntitlement {
  /** Whether all keys of the account are refused. */
  readonly disabled: boolean;
}

const NOTHING: AccountOptions = Object.freeze({ apis: [], scopes: [], channels: [], platforms: [], disabled: false });

/** No choices if the account does not exist. */
export async function accountOptions({ site, member }: PageContext): Promise<AccountOptions> {
  try {
    const { disabledAt, ...entitlement } = await site.management.accounts.view(member.account);
    return { ...entitlement, disabled: disabledAt !== null };
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'not_found') return NOTHING;
    throw error;
  }
}
