/** Runs callbacks of the app without waiting for them. */
import { types } from 'node:util';
import { describeError, placesOf } from '../errors/describe-error.js';
import { type CallbackFailure, callbackFailures } from './callback-failure.js';

type CallbackName = Pick<CallbackFailure, 'of' | 'callback'>;

/**
 * Runs a callback. If the callback throws, or returns a promise that rejects, an event is published. Without this
 * function, an unhandled rejection would end the process.
 */
export function runCallback(name: CallbackName, callback: () => unknown): void {
  try {
    handleRejection(name, callback());
  } catch (error) {
    reportCallbackFailure(name, 'threw', error);
  }
}

/** Publishes an event if a promise that a callback returned rejects. This function does not wait for the promise. */
export function handleRejection(name: CallbackName, returned: unknown): void {
  if (returned === undefined) return;
  const { then } = Object(returned) as { then?: unknown };
  if (typeof then === 'function')
    then.call(returned, undefined, (error: unknown) => reportCallbackFailure(name, 'rejected', error));
}

/**
 * Ignores the rejection of a promise that a callback returned although it must be synchronous. Otherwise the unhandled
 * rejection would end the process.
 */
export function ignoreRejection(returned: unknown): void {
  if (types.isPromise(returned)) Promise.prototype.catch.call(returned, () => {});
}

export function reportCallbackFailure(name: CallbackName, reason: CallbackFailure['reason'], error: unknown): void {
  if (!callbackFailures.hasSubscribers) return;
  callbackFailures.publish({ ...name, reason, detail: describeError(error), where: placesOf(error) });
}
