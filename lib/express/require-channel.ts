import type { IncomingMessage } from 'node:http';
import { reachesChannel } from '../credentials/principal.js';
import { defineGuard, type Guard } from './guard.js';
import type { RoutedRequest } from './middleware.js';

/**
 * Lets a request pass whose principal may act through the processing channel that the request names. Where it names
 * none, the principal must have exactly one, or all (spec section 2.1, rule 3).
 *
 * A token has the channels of its access key; without `accessKeys`, all.
 *
 * @param select - Reads the channel's id from the request; `undefined` where it names none. What is no text is refused.
 * @throws TypeError where `select` is no function.
 */
export function requireChannel<R extends IncomingMessage = RoutedRequest>(select: (req: R) => unknown): Guard {
  if (typeof select !== 'function') throw new TypeError('requireChannel: expected a function that reads the channel');
  return defineGuard<R>({
    name: 'requireChannel',
    check(principal, req) {
      const channel = select(req) ?? undefined;
      const { channels } = principal;
      const passes =
        channel === undefined
          ? channels === 'all' || channels.length === 1
          : typeof channel === 'string' && reachesChannel(principal, channel);
      return passes || { reason: 'channel' };
    },
  });
}
