/**
 * Converts the arguments of `client.fetch` to a request, and sends it. The client may send the same request again, for
 * example with a new token after a 401.
 */
import { SECURE_URL, secureUrl } from '../http/secure-url.js';

/** A request to the API. */
export interface ApiRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: NonNullable<RequestInit['redirect']>;
  readonly signal: AbortSignal | undefined;
  /** The `Request` object, if the caller passed one instead of a URL. */
  readonly given: Request | undefined;
  /**
   * The second argument of `client.fetch`. It has the body, and may have members that only some implementations of
   * `fetch` know.
   */
  readonly init: RequestInit;
  /**
   * Whether the request can be sent again. A stream can be read only once, and the body of a `Request` object is a
   * stream.
   */
  readonly isRepeatable: boolean;
}

/** The methods that `fetch` converts to upper case (Fetch §2.2.1). The case of all other methods matters. */
const NORMALIZED = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];

/**
 * Reads the arguments of `client.fetch`. They are not converted to a `Request`: the option `fetch` may be another
 * implementation, which does not accept the `Request` of Node.
 *
 * @throws TypeError if `secureUrl` does not allow the URL, or if the request already has an `Authorization` header.
 */
export function readApiRequest(input: string | URL | Request, init: RequestInit, allowHttp: boolean): ApiRequest {
  const given = typeof input === 'object' && 'headers' in input ? input : undefined;
  const url = secureUrl(String(given?.url ?? input).split('#', 1)[0], allowHttp);
  if (url === undefined)
    throw new TypeError(`client.fetch: the URL must be ${SECURE_URL} without a user name or password`);
  const headers = new Headers(init.headers ?? given?.headers);
  if (headers.has('authorization')) {
    throw new TypeError(
      'client.fetch: the request already has an Authorization header; remove it, because the client sets its own',
    );
  }
  // `init` may be a `Request`. Its members are getters, which the spread operator does not copy, so they are read one
  // by one.
  const { body = null, duplex, redirect = given?.redirect ?? 'follow', signal = given?.signal } = init;
  const hasBody = body !== null || (given?.body ?? null) !== null;
  return {
    url,
    method: normalize(init.method ?? given?.method ?? 'GET'),
    headers,
    redirect,
    signal: signal ?? undefined,
    given,
    init: { ...init, ...(body === null ? {} : { body }), ...(duplex === undefined ? {} : { duplex }) },
    isRepeatable: !hasBody || (body !== null && !(body instanceof ReadableStream) && !isIterable(body)),
  };
}

/** Sends a request once, with `headers` in place of its own headers. */
export function sendApiRequest(request: ApiRequest, headers: Headers, send: typeof fetch): Promise<Response> {
  const { given, url, init, method, redirect, signal } = request;
  return send(given ?? url.href, { ...init, method, headers, redirect, ...(signal === undefined ? {} : { signal }) });
}

function normalize(method: string): string {
  const upper = method.toUpperCase();
  return NORMALIZED.includes(upper) ? upper : method;
}

function isIterable(body: NonNullable<RequestInit['body']>): boolean {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}
