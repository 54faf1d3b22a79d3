/**
 * A change in the store, which invalidates cache entries: the id of the changed key, access key or account. `'all'`
 * means that anything may have changed.
 */
export type Change = { readonly key: string } | { readonly accessKey: string } | { readonly account: string } | 'all';

/**
 * A listener of a change feed, which a verifier passes to `watch` of a resolver. Call `onChange()` for each change
 * before the `onCaughtUp()` that covers it.
 */
export interface FeedListener {
  /** Reports a change. It invalidates the cache entries of the key, access key or account; for `'all'`, every entry. */
  onChange(change: Change): void;
  /**
   * Reports that every change up to now was delivered, which confirms the cached entries. Call it about once a second.
   *
   * @param age - How old this confirmation is, in milliseconds. For a poll, it is the time since the poll was sent.
   *   Default: 0.
   */
  onCaughtUp(age?: number): void;
  /**
   * Reports that changes may have been missed. An entry from before the gap then needs a new lookup as soon as its last
   * one is more than 5 seconds old. When the feed works again, deliver the changes that were made during the gap, or
   * `'all'`, before the next `onCaughtUp()`. That call confirms only what was looked up since the gap.
   */
  onGap(): void;
}

/** A verifier that your code notifies of changes, for a table without a change feed. */
export interface Invalidatable {
  /**
   * Invalidates cache entries and the results of pending lookups, so that the next request does a new lookup.
   *
   * `apiKeys` ignores `{ accessKey }`, and the other verifiers ignore `{ key }`. `introspectedTokens` does not know
   * accounts, so `{ account }` invalidates none of its entries. The entry of an unknown API key or of a refused opaque
   * token has no id: only `'all'` invalidates it. `accessTokens` without `accessKeys` does no lookups: only `'all'` has
   * an effect, and empties the cache of tokens. A key that is known to be revoked stays refused.
   */
  invalidate(change: Change): void;
}
