/** What the account of a member has, to choose from. */
import { ManagementError } from '../management/management-error.js';
import type { AccountReach } from '../management/reach.js';
import type { Visit } from './visit.js';

export interface AccountOffer extends AccountReach {
  /** None of its keys is taken. */
  readonly disabled: boolean;
}

const NOTHING: AccountOffer = Object.freeze({ apis: [], scopes: [], channels: [], platforms: [], disabled: false });

/** An account that is not there has nothing. */
export async function offerOf({ site, member }: Visit): Promise<AccountOffer> {
  try {
    const { disabledAt, ...reach } = await site.management.accounts.view(member.account);
    return { ...reach, disabled: disabledAt !== null };
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'not_found') return NOTHING;
    throw error;
  }
}
