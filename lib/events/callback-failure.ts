import { eventChannel } from './event-channel.js';

/**
 * A callback threw or rejected. keyward does not wait for callbacks, so the failure of a callback does not change the
 * response. Only `next` is different: if it throws, keyward ends the response.
 */
export interface CallbackFailure {
  /**
   * The part of keyward that called the callback: `apiKeys`, `accessKeys`, `issuer`, `store`, `requireBearer` or
   * `requireRateLimit`.
   */
  readonly of: string;
  /**
   * The callback that failed. `recordUse`, `watch` and `usageOf`, with the counter that it returns, are methods of a
   * resolver. `listener` is a listener that was passed to `watch` of the store. `next` is the function that a gate or
   * `requireRateLimit` calls after an asynchronous step.
   */
  readonly callback: 'recordUse' | 'usageOf' | 'watch' | 'listener' | 'next';
  /** `threw`: the callback threw synchronously. `rejected`: it returned a promise that rejected. */
  readonly reason: 'threw' | 'rejected';
  /**
   * The class and code of the error and of up to three causes. It never contains a message, because a message may
   * contain a credential.
   */
  readonly detail: string;
  /** Where the error was thrown: up to 8 places `file:line:column`, innermost first. */
  readonly where: readonly string[];
}

/** `keyward:callback-failure`: publishes each failure of a callback for which keyward does not wait. */
export const callbackFailures = eventChannel<CallbackFailure>('keyward:callback-failure');
