import { eventChannel } from './event-channel.js';

/** A problem of a change feed. */
export interface FeedWarning {
  /** The resolver of the feed: `apiKeys` or `accessKeys`. */
  readonly of: string;
  /**
   * `gap`: changes may have been missed. `invalid_change`: a change could not be parsed, so everything cached was
   * invalidated.
   */
  readonly warning: 'gap' | 'invalid_change';
}

/** `keyward:feed`: publishes gaps and invalid changes of a change feed. */
export const feedWarnings = eventChannel<FeedWarning>('keyward:feed');
