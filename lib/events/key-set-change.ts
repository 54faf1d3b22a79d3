import { eventChannel } from './event-channel.js';

/** The result of an attempt to fetch the keys of an issuer. */
export interface KeySetChange {
  readonly issuer: string;
  /**
   * `loaded`: the key set is in use. `failed`: it could not be fetched. `refused`: it breaks a rule, so it is not used.
   */
  readonly outcome: 'loaded' | 'failed' | 'refused';
  /** Why fetching the key set failed, or why the key set was refused. */
  readonly reason: string | undefined;
  /** The number of usable keys after the attempt. */
  readonly keys: number;
  /** The number of keys that the issuer no longer publishes since this attempt. Tokens of these keys are refused. */
  readonly withdrawn: number;
}

/** `keyward:key-set`: publishes each attempt to fetch an issuer's keys. */
export const keySetChanges = eventChannel<KeySetChange>('keyward:key-set');
