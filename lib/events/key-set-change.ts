import { eventChannel } from './event-channel.js';

/** What became of an attempt to fetch the keys of an issuer. */
export interface KeySetChange {
  readonly issuer: string;
  /** `loaded`: the set is in use. `failed`: it was not had. `refused`: it was had and breaks a rule, so it is not used. */
  readonly outcome: 'loaded' | 'failed' | 'refused';
  /** Why it failed or was refused. */
  readonly reason: string | undefined;
  /** How many usable keys there are now. */
  readonly keys: number;
  /** How many keys were withdrawn, and their tokens with them. */
  readonly withdrawn: number;
}

/** `keyward:key-set`: each attempt to fetch an issuer's keys. */
export const keySetChanges = eventChannel<KeySetChange>('keyward:key-set');
