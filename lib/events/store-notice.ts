import { eventChannel } from './event-channel.js';

/** Something about a store that its operator should know. */
export interface StoreNotice {
  /**
   * `listening`: commits of other processes are heard at once. `polling_only`: they are found by polling alone.
   * `unreachable`: the change feed could not be read, or the database did not answer when the store was opened.
   * `reachable`: it does again. `replaced`: the feed is not the one that was read before, as after a restored backup,
   * so everything cached was dropped.
   */
  readonly notice: 'listening' | 'polling_only' | 'unreachable' | 'reachable' | 'replaced';
  /** Without a value of the database, which may be a secret. */
  readonly detail: string | undefined;
}

/** `keyward:store`: things about a store that its operator should know. */
export const storeNotices = eventChannel<StoreNotice>('keyward:store');
