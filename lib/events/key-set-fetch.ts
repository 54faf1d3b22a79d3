import { eventChannel } from './event-channel.js';

/** The result of an attempt to fetch the public keys of an issuer. */
export interface KeySetFetch {
  /** The option `issuer` of `accessTokens`. */
  readonly issuer: string;
  /**
   * `loaded`: the new key set is in use. `failed`: the key set could not be found or fetched. `refused`: the key set
   * breaks a rule and is not used. After `failed` and `refused`, the last valid key set stays in use until it is an
   * hour old.
   */
  readonly outcome: 'loaded' | 'failed' | 'refused';
  /** Why the key set could not be fetched, or why it was refused; `undefined` for `loaded`. */
  readonly reason: string | undefined;
  /** The number of keys in the last valid key set, even if it is now too old to be used; 0 if there was none. */
  readonly keys: number;
  /**
   * The number of keys that are no longer in the new key set. Tokens that were signed with one of these keys are
   * refused.
   */
  readonly withdrawn: number;
}

/** `keyward:key-set`: publishes the result of each attempt to fetch the keys of an issuer. */
export const keySetFetches = eventChannel<KeySetFetch>('keyward:key-set');
