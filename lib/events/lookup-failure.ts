import { eventChannel } from './event-channel.js';

/**
 * A failed lookup, or a failed call of a replay cache, a rate-limit counter, `revokeToken` or your own verifier. The
 * request got 503, or 401 for a key that is known to be revoked, or used an older cache entry (see `staleIfError`);
 * `requireRateLimit` may let it pass.
 */
export interface LookupFailure {
  /**
   * What made the call: `apiKeys`, `introspectedTokens` or `requireRateLimit`; `accessKeys` for that option of
   * `accessTokens`, and for the access key of a token at the introspection endpoint of an issuer; `issuer` for the
   * clients of its endpoints; `revocation` for a revocation that may not be stored; `replayCache` for a replay cache;
   * `verifier` for your own verifier.
   */
  readonly of: string;
  /**
   * `threw`: the resolver threw or rejected, or your own verifier returned an invalid outcome. `timed_out`: it took too
   * long. `record_invalid`: it returned a record that breaks a rule. `too_many`: too many lookups were in flight, in
   * total or for new keys or for one network (see `maxLookups`). `superseded`: the record changed during the lookup,
   * and again while the lookup was repeated.
   */
  readonly reason: 'threw' | 'timed_out' | 'record_invalid' | 'too_many' | 'superseded';
  /**
   * For `record_invalid` the broken rule, never the value; `undefined` for a replay cache. For `threw` the class and
   * code of the error and of up to three causes, not a message, because it could contain a credential. Only messages of
   * keyward itself are here: why a call of an introspection endpoint failed, or why an outcome is invalid.
   */
  readonly detail: string | undefined;
  /** Where it was thrown: up to 8 places `file:line:column`, innermost first. */
  readonly where: readonly string[];
}

/** `keyward:lookup-failure`: publishes each failure that `LookupFailure` describes. */
export const lookupFailures = eventChannel<LookupFailure>('keyward:lookup-failure');
