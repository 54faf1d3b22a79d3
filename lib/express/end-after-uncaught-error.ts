import type { ServerResponse } from 'node:http';
import { describeError, placesOf } from '../errors/describe-error.js';
import { callbackFailures } from '../events/callback-failure.js';
import { BearerError } from './bearer-error.js';

/**
 * Reports an error that `next` threw after an asynchronous step, and ends the response. Express is no longer on the
 * stack then, so nothing else would catch the error, and the unhandled rejection would end the process. The response
 * has the status of a refusal, or 500 for any other error.
 *
 * @param of - The factory that called `next`, for the event.
 */
export function endFailedRequest(of: string, res: ServerResponse, thrown: unknown): void {
  if (callbackFailures.hasSubscribers) {
    const [detail, where] = [describeError(thrown), placesOf(thrown)];
    callbackFailures.publish({ of, callback: 'next', reason: 'threw', detail, where });
  }
  if (res.writableEnded) return;
  if (res.headersSent) res.destroy();
  else res.writeHead(thrown instanceof BearerError ? thrown.status : 500).end();
}
