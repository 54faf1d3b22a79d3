/**
 * Follows the redirects of a DPoP-bound request (Fetch, section "HTTP-redirect fetch"). The global `fetch` cannot
 * follow them, because each request needs a new proof for its URL.
 */
import { type ApiRequest, sendApiRequest } from './fetch-arguments.js';

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 20;
/** Headers that describe a body. They are removed when a redirect turns the request into a GET without a body. */
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-length', 'content-location', 'content-type'];
/**
 * Headers that are removed before a redirect to another origin: they are secret, or valid only for the first origin.
 */
const ORIGIN_HEADERS = ['authorization', 'cookie', 'dpop', 'host', 'proxy-authorization'];

/**
 * Sends a request, and follows its redirects. After a redirect to another origin, the token and the proof are removed,
 * and `send` follows all further redirects itself.
 *
 * @param exchange - Sends a request with the token and a proof for its URL. It must not follow redirects.
 * @throws TypeError as the global `fetch` does: for more than 20 redirects, for a `Location` that is not http or https,
 *   and for a redirect that requires a body to be sent again (any status except 303) if that is not possible.
 */
export async function followRedirects(
  first: ApiRequest,
  exchange: (request: ApiRequest) => Promise<Response>,
  send: typeof fetch,
): Promise<Response> {
  let request: ApiRequest = { ...first, redirect: 'manual' };
  for (let count = 0; ; count += 1) {
    const response = await exchange(request);
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || location === null) return response;
    await response.body?.cancel();
    if (count === MAX_REDIRECTS)
      throw new TypeError(`client.fetch: the server sent more than ${MAX_REDIRECTS} redirects`);
    const next = redirected(request, response.status, location);
    if (next.url.origin !== request.url.origin) {
      return sendApiRequest({ ...next, redirect: 'follow' }, without(ORIGIN_HEADERS, next.headers), send);
    }
    request = next;
  }
}

function redirected(request: ApiRequest, status: number, location: string): ApiRequest {
  const url = URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError('client.fetch: the Location header of a redirect must be an http or https URL');
  }
  if (status !== 303 && !request.isRepeatable) {
    throw new TypeError(
      'client.fetch: cannot follow the redirect, because the body is a stream and cannot be sent again; use a string or a Buffer as the body',
    );
  }
  // `given`, the `Request` object of the caller, has the URL before the redirect, so it must not be sent again.
  const next: ApiRequest = { ...request, url, given: undefined };
  if (!becomesGet(status, request.method)) return next;
  const init: RequestInit = { ...request.init, body: null };
  return { ...next, method: 'GET', init, headers: without(BODY_HEADERS, request.headers), isRepeatable: true };
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function without(names: readonly string[], headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of names) rest.delete(name);
  return rest;
}
