import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { namesParameter, queryCarries } from '../../protocol/form.js';

const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * Whether a request with a credential in its header has a second one, named `access_token`, in its query or in a form
 * that a body parser has read. RFC 6750 section 2 allows only one method in a request. In a JSON body, a property with
 * this name is data.
 *
 * @param headers - `req.headers`, which the caller has read already: it is a slow accessor.
 */
export function hasMultipleCredentials(req: IncomingMessage, headers: IncomingHttpHeaders): boolean {
  if (req.url?.includes('?') && queryCarries(req.url, 'access_token')) return true;
  const type = headers['content-type'];
  if (type === undefined || !FORM.test(type)) return false;
  const { body } = req as { body?: unknown };
  if (typeof body !== 'object' || body === null) return false;
  return Object.keys(body).some((name) => namesParameter(name, 'access_token'));
}
