import { eventChannel } from './event-channel.js';

/**
 * A lookup failed, or a replay cache, a rate-limit counter, `revokeToken` or your own verifier failed.
 *
 * The request got 503 in most cases. It got 401 if the key is known to be revoked. It passed if an older cache entry
 * could be used (see `staleIfError`), or if `requireRateLimit` has `onOutage: 'allow'`.
 */
export interface LookupFailure {
  /**
   * What made the call that failed. The names `apiKeys`, `introspectedTokens` and `requireRateLimit` are those of the
   * functions.
   *
   * - `accessKeys`: the option `accessKeys` of `accessTokens`, or the lookup of a token's access key at the
   *   introspection endpoint of an issuer.
   * - `issuer`: the authentication of a client at an endpoint of the issuer.
   * - `revocation`: the revocation of a token, which may not be stored.
   * - `replayCache`: a replay cache.
   * - `verifier`: your own verifier.
   */
  readonly of: string;
  /**
   * - `threw`: the call threw or rejected, or your own verifier returned an invalid outcome.
   * - `timed_out`: the call took too long.
   * - `record_invalid`: the call returned a record that breaks a rule.
   * - `too_many`: too many lookups were in flight: in total, for new keys, or for one network (see `maxLookups`). Or too
   *   many calls of a replay cache, of a rate counter or of the store of revocations were pending.
   * - `superseded`: the record changed during the lookup, and again while the lookup was repeated.
   */
  readonly reason: 'threw' | 'timed_out' | 'record_invalid' | 'too_many' | 'superseded';
  /**
   * - `record_invalid`: the rule that the record breaks, without the value. It is `undefined` if a replay cache returned
   *   something other than a boolean.
   * - `threw`: the class and code of the error and of up to three causes. The message of an error is left out, because it
   *   may contain a credential. If keyward made the error, its message is here instead, such as why a call of an
   *   introspection endpoint failed.
   *
   * `undefined` for every other reason.
   */
  readonly detail: string | undefined;
  /** Where the error was thrown: up to 8 places `file:line:column`, innermost first. */
  readonly where: readonly string[];
}

/** `keyward:lookup-failure`: publishes each failed lookup, and each other failure that `LookupFailure` describes. */
export const lookupFailures = eventChannel<LookupFailure>('keyward:lookup-failure');
