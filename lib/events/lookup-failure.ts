import { eventChannel } from './event-channel.js';

/**
 * A failed lookup, or a failed call of a replay cache, a rate-limit counter or your own verifier. The request got 503,
 * or used a cache entry that was confirmed shortly before; `requireRateLimit` may let it pass.
 */
export interface LookupFailure {
  /**
   * The factory that made the lookup: `apiKeys`, `accessKeys`, `introspectedTokens`, `issuer` or `requireRateLimit`;
   * `replayCache` for a replay cache; `verifier` for your own verifier.
   */
  readonly of: string;
  /**
   * `threw`: the resolver threw or rejected. `timed_out`: it took too long. `record_invalid`: it returned a record that
   * breaks a rule. `too_many`: there were already `maxLookups` lookups in flight. `superseded`: the record changed
   * during the lookup, and again while the lookup was repeated.
   */
  readonly reason: 'threw' | 'timed_out' | 'record_invalid' | 'too_many' | 'superseded';
  /**
   * For `record_invalid` the broken rule, never the value. For `threw` the class and code of the error and of its
   * causes, never a message, because it could contain a credential.
   */
  readonly detail: string | undefined;
  /** Where it was thrown: up to 8 places `file:line:column`, innermost first. */
  readonly where: readonly string[];
}

/** `keyward:lookup-failure`: publishes each failure that `LookupFailure` describes. */
export const lookupFailures = eventChannel<LookupFailure>('keyward:lookup-failure');
