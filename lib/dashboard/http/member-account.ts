/** The account of a member: the APIs, scopes, channels and platforms its keys may have, and if it is disabled. */
import type { AccountEntitlement } from '../../management/entitlement.js';
import { ManagementError } from '../../management/management-error.js';
import type { PageContext } from './page-context.js';

export interface MemberAccount extends AccountEntitlement {
  /** Whether all keys of the account are refused. */
  readonly disabled: boolean;
}

const UNKNOWN_ACCOUNT: MemberAccount = Object.freeze({
  apis: [],
  scopes: [],
  channels: [],
  platforms: [],
  disabled: false,
});

/** Reads the account of a member. If the store does not know it yet, it may use nothing, so forms offer no values. */
export async function memberAccount({ site, member }: PageContext): Promise<MemberAccount> {
  try {
    const { disabledAt, ...entitlement } = await site.management.accounts.view(member.account);
    return { ...entitlement, disabled: disabledAt !== null };
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'not_found') return UNKNOWN_ACCOUNT;
    throw error;
  }
}
