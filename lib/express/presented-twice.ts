import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { queryCarries } from '../protocol/form.js';

const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * Whether a request that has a credential in its header carries a further one in its query or, where a body parser has
 * read it, in its form (RFC 6750 §2: no more than one method a request). A JSON member of that name is data.
 *
 * @param headers - Those of the request.
 */
export function presentedTwice(req: IncomingMessage, headers: IncomingHttpHeaders): boolean {
  if (queryCarries(req.url, 'access_token')) return true;
  const type = headers['content-type'];
  if (type === undefined || !FORM.test(type)) return false;
  const { body } = req as { body?: unknown };
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'access_token');
}
