/**
 * Checks the channel of a request. A channel is a processing channel of the payment platform (docs/spec.md §2.1,
 * rule 3), not a network connection.
 */
import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';
import { reachesChannel } from '../../credentials/principal.js';
import type { RoutedRequest } from '../middleware.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass if its principal may use the processing channel that the request names. If the request names
 * none, the principal must have exactly one channel, or all (docs/spec.md §2.1, rule 3).
 *
 * If the channel may be in the body, mount the body parser before this guard. A request that names no channel, and
 * whose body was not read yet, is refused unless its principal has all channels: its body could name any channel.
 *
 * The principal of a token has the channels of its access key; without `accessKeys` it has all.
 *
 * @param select - Returns the id of the channel from the request, or `undefined` if it names none. Anything that is not
 *   a string is refused.
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
      // Returned unchanged: `defineGuard` refuses a promise and handles its rejection.
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
 * Whether a request has a body (RFC 9112 section 6) that was not read. A parser that does not accept the type of the
 * body leaves it to the next one, which may come after the guard.
 */
function hasUnreadBody(req: IncomingMessage & { readonly body?: unknown }): boolean {
  if (req.readableDidRead || req.readableEnded || isParsed(req.body)) return false;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  return encoding !== undefined || Number(length) > 0;
}

/** Whether a platform, such as one for functions, has parsed the body without reading the request. */
function isParsed(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array) && Object.keys(body).length > 0;
}
