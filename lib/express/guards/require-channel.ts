/**
 * Checks the channel of a request: a processing channel of the payment platform (docs/spec.md §2.1, rule 3), not a
 * network connection.
 */
import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';
import { reachesChannel } from '../../credentials/principal.js';
import type { RoutedRequest } from '../middleware.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass if its principal may use the processing channel that the request names. If the request names no
 * channel, the principal must have exactly one channel, or all (docs/spec.md §2.1, rule 3).
 *
 * If the channel may be in the body, mount the body parser before this guard. The body could name any channel. So if
 * the request names no channel and its body was not read yet, only a principal with all channels passes.
 *
 * An access token has the channels of its access key. Without the option `accessKeys` of its verifier, it has all
 * channels.
 *
 * @param select - Returns the id of the channel that the request names, or `undefined` if it names no channel. A
 *   request for which it returns any other value is refused.
 * @throws TypeError if `select` is not a function.
 * @example
 * ```ts
 * import { requireChannel } from 'keyward';
 *
 * const channel = requireChannel((req) => req.params.channel);
 * ```
 */
export function requireChannel<R extends IncomingMessage = RoutedRequest>(select: (req: R) => unknown): Guard {
  if (typeof select !== 'function')
    throw new TypeError('requireChannel: expected a function that returns the channel ID of a request');
  return defineGuard<R>({
    name: 'requireChannel',
    check(principal, req) {
      const channel = select(req) ?? undefined;
      // `defineGuard` refuses a promise and handles its rejection, so it is returned unchanged.
      if (types.isPromise(channel)) return channel as never;
      if (channel === undefined) {
        const { channels } = principal;
        if (channels === 'all') return true;
        if (hasUnreadBody(req)) return { reason: 'channel_body_unread' };
        return channels.length === 1 || { reason: 'channel' };
      }
      return (typeof channel === 'string' && reachesChannel(principal, channel)) || { reason: 'channel' };
    },
  });
}

/**
 * Whether a request has a body (RFC 9112 section 6) that was not read. A body parser ignores a body of another type,
 * and a parser that is mounted after this guard may still read it.
 */
function hasUnreadBody(req: IncomingMessage & { readonly body?: unknown }): boolean {
  if (req.readableDidRead || req.readableEnded || isParsed(req.body)) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  return encoding !== undefined || Number(length) > 0;
}

/** Whether a serverless platform has already parsed the body, without reading the stream of the request. */
function isParsed(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array) && Object.keys(body).length > 0;
}
