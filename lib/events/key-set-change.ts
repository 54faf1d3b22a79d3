import { eventChannel } from './event-channel.js';

/** The result of an attempt to fetch the keys of an issuer. */
export interface KeySetChange {
  /** The option `issuer` of `accessTokens`. */
  readonly issuer: string;
  /**
   * `loaded`: the key set is in use. `failed`: it could not be found or fetched. `refused`: it breaks a rule, so it is
   * not used. After `failed` and `refused`, the last valid key set stays in use until it is an hour old.
   */
  readonly outcome: 'loaded' | 'failed' | 'refused';
  /** Why fetching the key set failed, or why the key set was refused. */
  readonly reason: string | undefined;
  /** The number of keys in the last valid key set, even if it is now too old to be used; 0 if there was none. */
  readonly keys: number;
  /** The number of keys that the issuer no longer publishes since this attempt. Tokens of these keys are refused. */
  readonly withdrawn: number;
}

/** `keyward:key-set`: publishes each attempt to fetch an issuer's keys. */
export const keySetChanges = eventChannel<KeySetChange>('keyward:key-set');
