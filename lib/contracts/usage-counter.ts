/**
 * Counts the requests of one key. Its methods run during a request, so they should only count. Their results are not
 * awaited; if one throws, an event is published on `keyward:callback-failure`.
 */
export interface UsageCounter {
  /** Called when the verifier accepted a credential of the key. */
  accepted(): unknown;
  /**
   * Called when the verifier found the key of a credential and refused the credential: the key is revoked, expired or
   * disabled, the address is not allowed, or a token of the key is revoked or was presented without its proof or
   * certificate.
   */
  refused(): unknown;
}
