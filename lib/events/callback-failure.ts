import { eventChannel } from './event-channel.js';

/**
 * Reports that a callback threw or rejected. keyward does not wait for it, so the response is the same as after a
 * success, except for `next`.
 */
export interface CallbackFailure {
  /**
   * The part of keyward that called it: `apiKeys`, `accessKeys`, `issuer`, `store`, `requireBearer` or
   * `requireRateLimit`.
   */
  readonly of: string;
  /**
   * The callback that failed. `recordUse`, `usageOf` (or its counter) and `watch` are callbacks of a resolver.
   * `listener` was passed to `watch` of the store. `next` was called by a gate or `requireRateLimit` after an
   * asynchronous step, and the request is then ended.
   */
  readonly callback: 'recordUse' | 'usageOf' | 'watch' | 'listener' | 'next';
  /** `threw`: it threw synchronously. `rejected`: it returned a promise that rejected. */
  readonly reason: 'threw' | 'rejected';
  /** Class and code of the error and of up to three causes, never a message. */
  readonly detail: string;
  /** Where it was thrown: up to 8 places `file:line:column`, innermost first. */
  readonly where: readonly string[];
}

/** `keyward:callback-failure`: publishes each failure of a callback that is not awaited. */
export const callbackFailures = eventChannel<CallbackFailure>('keyward:callback-failure');
