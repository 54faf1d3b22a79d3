/**
 * Checks the APIs, scopes, channels and platform of a key. The account must have each of them; `'all'` means whatever
 * the account has. A key for an e-commerce platform must have exactly one channel.
 *
 * A channel is the id of a processing channel (docs/spec.md §2.1), which the guard `requireChannel` checks.
 */
import { intersection } from '../store/json-columns.js';
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
  const lacking = missingNames(wanted, had);
  if (lacking.length > 0) throw invalid(field, `the account is not entitled to: ${lacking.join(', ')}`);
}

/** Returns the names of a key that its account does not have. Verifiers treat the key as if it did not have them. */
export function missingNames(wanted: 'all' | readonly string[], had: 'all' | readonly string[]): readonly string[] {
  if (wanted === 'all' || had === 'all') return [];
  return wanted.filter((name) => !had.includes(name));
}

/** Whether the account has lost the channel of a key for an e-commerce platform. Then every request is refused. */
export function hasLostChannel(
  key: Pick<KeyEntitlement, 'channels' | 'platform'>,
  account: AccountEntitlement,
): boolean {
  return key.platform !== null && intersection(key.channels, account.channels).length === 0;
}
