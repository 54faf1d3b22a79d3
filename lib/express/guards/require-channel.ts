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
      const { channels } = principal;
      const passes =
        channel === undefined
          ? channels === 'all' || channels.length === 1
          : typeof channel === 'string' && reachesChannel(principal, channel);
      return passes || { reason: 'channel' };
    },
  });
}
