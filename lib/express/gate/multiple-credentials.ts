import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { namesParameter, queryCarries } from '../../protocol/form.js';

const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * Whether a request that has a credential in its `Authorization` header also has an `access_token` in its query or in a
 * parsed form. RFC 6750 section 2 allows only one way to send a token in a request. In a JSON body, `access_token` is
 * ordinary data.
 *
 * @param headers - The value of `req.headers`. It is a parameter because reading `req.headers` again is slow.
 */
export function hasMultipleCredentials(req: IncomingMessage, headers: IncomingHttpHeaders): boolean {
  if (queryCarries(req.url, 'access_token')) return true;
  const type = headers['content-type'];
  if (type === undefined || !FORM.test(type)) return false;
  const { body } = req as { body?: unknown };
  if (typeof body !== 'object' || body === null) return false;
  return Object.keys(body).some((name) => namesParameter(name, 'access_token'));
}
