/** The APIs, scopes, channels and platforms that a form offers: only the ones that the member's account may use. */
import type { AccountEntitlement } from '../../management/entitlement.js';
import { ManagementError } from '../../management/management-error.js';
import type { PageContext } from '../http/page-context.js';

export interface AccountOptions extends AccountEntitlement {
  /** Whether all keys of the account are refused. */
  readonly disabled: boolean;
}

const NO_OPTIONS: AccountOptions = Object.freeze({
  apis: [],
  scopes: [],
  channels: [],
  platforms: [],
  disabled: false,
});

/** Reads what the account may use. If the store does not know the account yet, the form offers no values. */
export async function accountOptions({ site, member }: PageContext): Promise<AccountOptions> {
  try {
    const { disabledAt, ...entitlement } = await site.management.accounts.view(member.account);
    return { ...entitlement, disabled: disabledAt !== null };
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'not_found') return NO_OPTIONS;
    throw error;
  }
}
