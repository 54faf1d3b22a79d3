/** What changed in the store, as a cache hears of it. */
export type Change = { readonly key: string } | { readonly accessKey: string } | { readonly account: string } | 'all';

/**
 * What a resolver's `watch` tells a cache. A feed keeps this order: every change before the `current()` that covers it.
 */
export interface FeedListener {
  /** A key, an access key, an account or everything changed: what is cached of it is dropped. */
  change(change: Change): void;
  /**
   * Every change made up to now was delivered: what is cached is confirmed. Call it every second or so.
   *
   * @param age - Milliseconds that this is old by now: for a poll, the time since it was sent; 0.
   */
  current(age?: number): void;
  /**
   * Changes may have been missed: nothing cached before this is confirmed again but by a look-up of its own. Once the
   * feed is back, deliver the changes made meanwhile, or `'all'`, before the next `current()`: it confirms what was
   * looked up since the loss.
   */
  lost(): void;
}

/** What can be told of changes by hand, where a table of one's own has no feed. */
export interface Invalidatable {
  /** Drops what is cached of it, and what a look-up under way is about to bring. The next request asks again. */
  invalidate(change: Change): void;
}
