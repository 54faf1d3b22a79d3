/** What a key may be given: of what its account has, and by the rule of e-commerce platforms. */
import { invalid } from './management-error.js';

/** What an account has. */
export interface AccountReach {
  readonly apis: 'all' | readonly string[];
  readonly scopes: readonly string[];
  readonly channels: 'all' | readonly string[];
  readonly platforms: readonly string[];
}

/** What a key is to have. */
export interface KeyReach {
  readonly apis: 'all' | readonly string[] | null;
  readonly scopes: readonly string[] | null;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | null;
}

/** @throws ManagementError `invalid`, naming what the account lacks or what breaks the rule. */
export function checkReach(key: KeyReach, account: AccountReach): void {
  checkWithin('apis', key.apis ?? [], account.apis);
  checkWithin('scopes', key.scopes ?? [], account.scopes);
  checkWithin('channels', key.channels, account.channels);
  if (key.platform === null) return;
  checkWithin('platform', [key.platform], account.platforms);
  // Spec section 2.1, rule 3.
  if (key.channels === 'all' || key.channels.length !== 1) {
    throw invalid('channels', 'a key on an e-commerce platform has exactly one');
  }
}

/** `'all'` is all that the account has: it grows and shrinks with the account. */
function checkWithin(field: string, wanted: 'all' | readonly string[], had: 'all' | readonly string[]): void {
  if (wanted === 'all' || had === 'all') return;
  const lacking = wanted.filter((name) => !had.includes(name));
  if (lacking.length > 0) throw invalid(field, `the account does not have ${lacking.join(', ')}`);
}
