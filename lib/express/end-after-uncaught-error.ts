import type { ServerResponse } from 'node:http';
import { describeError, placesOf } from '../errors/describe-error.js';
import { callbackFailures } from '../events/callback-failure.js';
import { BearerError } from './bearer-error.js';

/**
 * Publishes an event about an error that `next` threw after an asynchronous step, and ends the response. Express cannot
 * catch this error, because it is not on the call stack after an asynchronous step. Without this function, an unhandled
 * rejection would end the process.
 *
 * The status is that of the `BearerError`, or 500 for any other error. If the headers were already sent, the connection
 * is closed.
 *
 * @param of - Names the middleware that called `next`, for the event, such as `requireBearer`.
 */
export function endAfterUncaughtError(of: string, res: ServerResponse, thrown: unknown): void {
  if (callbackFailures.hasSubscribers) {
    const [detail, where] = [describeError(thrown), placesOf(thrown)];
    callbackFailures.publish({ of, callback: 'next', reason: 'threw', detail, where });
  }
  if (res.writableEnded) return;
  if (res.headersSent) res.destroy();
  else res.writeHead(thrown instanceof BearerError ? thrown.status : 500).end();
}
