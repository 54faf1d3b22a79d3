/**
 * Checks that a key has only APIs, scopes, channels and a platform that its account has. `'all'` means everything that
 * the account has. A key for an e-commerce platform must have exactly one channel.
 *
 * A channel is the id of a processing channel (docs/spec.md §2.1). The guard `requireChannel` checks it on each
 * request.
 */
import { intersection } from '../store/json-columns.js';
import { invalid } from './management-error.js';

/** The APIs, scopes, channels and e-commerce platforms that an account may give its keys. */
export interface AccountEntitlement {
  readonly apis: 'all' | readonly string[];
  readonly scopes: readonly string[];
  readonly channels: 'all' | readonly string[];
  /** The ids of e-commerce platforms. */
  readonly platforms: readonly string[];
}

/**
 * The APIs, scopes, channels and platform of a key; its account must have them too. `apis` is `null` on an access key,
 * `scopes` on an API key without its own list of scopes, and `platform` on a key that is for no platform.
 */
export interface KeyEntitlement {
  readonly apis: 'all' | readonly string[] | null;
  readonly scopes: readonly string[] | null;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | null;
}

/**
 * Checks the values of a key against its account.
 *
 * @throws ManagementError `invalid`. Its message names the values that the account does not have, or the broken rule.
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
 * Checks that the account has the values of a key. `'all'` is always allowed: on each request, it means what the
 * account has at that time.
 */
function checkWithin(field: string, wanted: 'all' | readonly string[], had: 'all' | readonly string[]): void {
  const lacking = missingNames(wanted, had);
  if (lacking.length === 0) return;
  throw invalid(field, `the account is not entitled to ${lacking.map((name) => `"${name}"`).join(', ')}`);
}

/**
 * Returns the names in `wanted` (the APIs, scopes, channels or platforms of a key) that are not in `had` (those of its
 * account), for example because the account lost them later. If either is `'all'`, none is missing.
 */
export function missingNames(wanted: 'all' | readonly string[], had: 'all' | readonly string[]): readonly string[] {
  if (wanted === 'all' || had === 'all') return [];
  return wanted.filter((name) => !had.includes(name));
}

/**
 * Whether a key for an e-commerce platform has a channel that its account has lost. Every request with this key is
 * refused.
 */
export function hasLostChannel(
  key: Pick<KeyEntitlement, 'channels' | 'platform'>,
  account: AccountEntitlement,
): boolean {
  return key.platform !== null && intersection(key.channels, account.channels).length === 0;
}
