import { eventChannel } from './event-channel.js';

/** A change in the state of a store that its operator should know. */
export interface StoreWarning {
  /**
   * `listening`: commits of other processes are notified immediately. `polling_only`: they are found only by polling.
   * `unreachable`: the change feed could not be read, or the database did not answer when the store was opened.
   * `reachable`: it answers again. `replaced`: the feed is not the one that was read before, for example because a
   * backup was restored, so everything cached was invalidated. `usage_not_written`: the database refused the counts of
   * requests, for example because a right is missing.
   */
  readonly warning: 'listening' | 'polling_only' | 'unreachable' | 'reachable' | 'replaced' | 'usage_not_written';
  /** Details for the operator. They contain no value from the database, because it may be secret. */
  readonly detail: string | undefined;
}

/** `keyward:store`: publishes changes in the state of a store for its operator. */
export const storeWarnings = eventChannel<StoreWarning>('keyward:store');
