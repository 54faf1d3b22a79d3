import { eventChannel } from './event-channel.js';

/** A problem of a change feed. */
export interface FeedWarning {
  /**
   * The cache that the feed invalidates: `apiKeys` or `accessKeys`. `introspectedTokens` has no feed: it is named only
   * with `invalid_change`, if your code passed such a change to its `invalidate`.
   */
  readonly of: string;
  /**
   * `gap`: changes may have been missed. `invalid_change`: a change could not be parsed, so everything cached was
   * invalidated.
   */
  readonly warning: 'gap' | 'invalid_change';
}

/** `keyward:feed`: publishes gaps and invalid changes of a change feed. */
export const feedWarnings = eventChannel<FeedWarning>('keyward:feed');
