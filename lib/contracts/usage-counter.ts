/**
 * Counts the requests of one key. Its methods run during a request, so they should only count, and not write to a
 * database. Their results are not awaited. If a method throws, or returns a promise that rejects, an event is published
 * on `keyward:callback-failure`.
 */
export interface UsageCounter {
  /**
   * Called when the verifier accepted a credential of the key, and the key may be used from the address of the sender.
   * A guard may still refuse the request, for example because the key lacks a scope.
   */
  accepted(): unknown;
  /**
   * Called when a request was refused although its key is known. Either the key is revoked, expired or disabled, or it
   * may not be used from the address of the sender. For an access key, a token may have been refused for one of these
   * reasons: the token was revoked or superseded, it lacks the binding or the proof that the verifier requires, or the
   * access key is of another environment. A token that is itself invalid or expired is not counted.
   */
  refused(): unknown;
}
