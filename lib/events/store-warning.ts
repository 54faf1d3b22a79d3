import { eventChannel } from './event-channel.js';

/** A change in the state of a store that its operator should know about. */
export interface StoreWarning {
  /**
   * - `listening`: PostgreSQL immediately notifies this process of changes that other processes commit.
   * - `polling_only`: without these notifications, this process finds changes only by polling. A SQLite store always
   *   polls, and never publishes `listening` or `polling_only`.
   * - `unreachable`: the change feed could not be read, or the database did not answer when the store was opened.
   * - `unusable`: the database did not answer when the store was opened. It answers now, but refuses the role or the
   *   database of the URL, or `encryptionKey` does not decrypt its signing keys. This process tries again each second.
   * - `reachable`: the database answers again.
   * - `replaced`: the feed no longer contains the last change that this process has read, so all cached records were
   *   invalidated. A backup was restored, a SQLite file was replaced, or this process was too far behind.
   * - `usage_not_written`: the database refused to store the request counts, for example because a permission is
   *   missing. This process tries again.
   */
  readonly warning:
    | 'listening'
    | 'polling_only'
    | 'unreachable'
    | 'unusable'
    | 'reachable'
    | 'replaced'
    | 'usage_not_written';
  /** Details for the operator. They contain no value from the database, because it may be secret. */
  readonly detail: string | undefined;
}

/** `keyward:store`: publishes changes in the state of a store that its operator should know about. */
export const storeWarnings = eventChannel<StoreWarning>('keyward:store');
