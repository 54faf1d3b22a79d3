/**
 * Checks the APIs, scopes, channels and platform of a key. The account must have each of them; `'all'` means whatever
 * the account has. A key for an e-commerce platform must have exactly one channel.
 *
 * A channel is the id of a processing channel (docs/spec.md §2.1), which the guard `requireChannel` checks.
 */
import { invalid } from './management-error.js';

/** What an account may give its keys. */
export interface AccountEntitlement {
  readonly apis: 'all' | readonly string[];
  readonly scopes: readonly string[];
  readonly channels: 'all' | readonly string[];
  /** The ids of e-commerce platforms. */
  readonly platforms: readonly string[];
}

/** The APIs, scopes, channels and platform that a key should have. */
export interface KeyEntitlement {
  readonly apis: 'all' | readonly string[] | null;
  readonly scopes: readonly string[] | null;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | null;
}

/**
 * Checks a key against its account.
 *
 * @throws ManagementError `invalid`, which names the value that the account does not have, or the broken rule.
 */
export function checkEntitlement(key: KeyEntitlement, account: AccountEntitlement): void {
  checkWithin('apis', key.apis ?? [], account.apis);
  checkWithin('scopes', key.scopes ?? [], account.scopes);
  checkWithin('channels', key.channels, account.channels);
  if (key.platform === null) return;
  checkWithin('platform', [key.platform], account.platforms);
  // docs/spec.md §2.1, rule 3: a key of a platform has exactly one channel.
  if (key.channels === 'all' || key.channels.length !== 1) {
    throw invalid('channels', 'a key for an e-commerce platform must have exactly one channel');
  }
}

/**
 * Checks that the account has the wanted values. `'all'` is always allowed: it means what the account has when a
 * request is made.
 */
function checkWithin(field: string, wanted: 'all' | readonly string[], had: 'all' | readonly string[]): void {
  if (wanted === 'all' || had === 'all') return;
  const lacking = wanted.filter((name) => !had.includes(name));
  if (lacking.length > 0) throw invalid(field, `the account is not entitled to ${lacking.join(', ')}`);
}
