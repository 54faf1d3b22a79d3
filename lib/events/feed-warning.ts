import { eventChannel } from './event-channel.js';

/** A problem of a change feed, by which a resolver tells a cache which keys have changed. */
export interface FeedWarning {
  /**
   * The cache that the feed invalidates: `apiKeys` or `accessKeys`. `introspectedTokens` has no feed. Its name occurs
   * only with `invalid_change`, if your code passed an invalid change to its `invalidate`.
   */
  readonly of: string;
  /**
   * `gap`: the cache may have missed changes. `invalid_change`: a change could not be parsed, so all entries of the
   * cache were invalidated.
   */
  readonly warning: 'gap' | 'invalid_change';
}

/** `keyward:feed`: publishes gaps and invalid changes of change feeds. */
export const feedWarnings = eventChannel<FeedWarning>('keyward:feed');
