import { eventChannel } from './event-channel.js';

/** A change in the state of a store that its operator should know. */
export interface StoreWarning {
  /**
   * `listening`: PostgreSQL notifies commits of other processes immediately. `polling_only`: they are found only by
   * polling; SQLite, which is always polled, publishes neither. `unreachable`: the change feed could not be read, or
   * the database did not answer when the store was opened. `reachable`: it answers again. `replaced`: the feed lacks
   * the last change that was read, because a backup was restored or this process was too far behind, or a file of
   * SQLite was replaced; so everything cached was invalidated. `usage_not_written`: the database refused the counts of
   * requests, for example because a right is missing; they are tried again.
   */
  readonly warning: 'listening' | 'polling_only' | 'unreachable' | 'reachable' | 'replaced' | 'usage_not_written';
  /** Details for the operator. They contain no value of a row, because it may be secret. */
  readonly detail: string | undefined;
}

/** `keyward:store`: publishes changes in the state of a store for its operator. */
export const storeWarnings = eventChannel<StoreWarning>('keyward:store');
