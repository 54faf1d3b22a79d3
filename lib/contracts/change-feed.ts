/**
 * What changed in the store: the API key, the access key or the account with this id. `'all'` means that anything may
 * have changed.
 */
export type Change = { readonly key: string } | { readonly accessKey: string } | { readonly account: string } | 'all';

/**
 * Receives the changes of a store, so that a verifier can update its cache. The verifier passes its listener to `watch`
 * of the resolver. Report each change with `onChange()` before the next call of `onCaughtUp()`.
 */
export interface FeedListener {
  /**
   * Reports a change. The verifier deletes the cache entries of the key, access key or account; for `'all'`, every
   * entry.
   */
  onChange(change: Change): void;
  /**
   * Reports that every change so far was delivered. The verifier may then use its cached entries for 5 more seconds
   * without a lookup. Call this method about once a second.
   *
   * @param age - For how many milliseconds this has been known. If you poll the store, pass the time since you sent the
   *   poll. Default: 0.
   */
  onCaughtUp(age?: number): void;
  /**
   * Reports that changes may have been missed, for example because the connection to the store was lost. Each entry
   * that was cached before needs a new lookup when its last lookup is more than 5 seconds old.
   *
   * When the feed works again, first deliver the changes that were made in the meantime, or `'all'`. Then call
   * `onCaughtUp()`: it confirms only entries that were looked up after the gap.
   */
  onGap(): void;
}

/**
 * A verifier whose cache entries your code can delete. If your table has no change feed, call `invalidate` when you
 * change a key.
 */
export interface Invalidatable {
  /**
   * Deletes the cache entries that a change affects, so that the next request does a new lookup. The result of a lookup
   * that started before the change is not used.
   *
   * `apiKeys` ignores `{ accessKey }`, and the other verifiers ignore `{ key }`. `introspectedTokens` does not know
   * accounts, so it also ignores `{ account }`. The entry of an unknown API key or of a refused opaque token has no id,
   * so only `'all'` deletes it. `accessTokens` without the option `accessKeys` does no lookups: it ignores every change
   * except `'all'`, which empties its cache of tokens. A key that is known to be revoked stays refused after every
   * change.
   */
  invalidate(change: Change): void;
}
