/**
 * Counts the requests of one key. Its methods run during a request, so they should only count. Their results are not
 * awaited; if one throws, an event is published on `keyward:callback-failure`.
 */
export interface UsageCounter {
  /**
   * Called when the verifier accepted a credential of the key, and its address is allowed. The gate or a guard may
   * still refuse the request, for example because of its scopes.
   */
  accepted(): unknown;
  /**
   * Called when the verifier found the key of a credential and refused the credential: the key is revoked, expired or
   * disabled, the access key is of another environment, the address is not allowed, or a token of the key was revoked
   * or superseded, or lacks the binding or the proof that the verifier requires. Not called for a token that is itself
   * invalid or expired.
   */
  refused(): unknown;
}
