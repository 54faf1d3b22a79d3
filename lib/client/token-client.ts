/** A client that obtains, caches and refreshes access tokens, and presents them to a protected API. */
import { readChallengeError } from '../protocol/challenge-error.js';
import { type ApiRequest, readApiRequest, sendApiRequest } from './fetch-arguments.js';
import { followRedirects } from './redirects.js';
import { type CachedToken, TokenCache } from './token-cache.js';
import { readOptions, type TokenClientOptions } from './token-client-options.js';
import { unlessAborted } from './unless-aborted.js';

/** The client that `tokenClient` returns. */
export interface TokenClient {
  /** Sends a request with an access token. The arguments are the same as for the global `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Returns an access token that has not expired. Call this before each request: a stored token would expire. */
  accessToken(): Promise<string>;
}

/**
 * Safe methods (RFC 9110 §9.2.1). If a 401 came after a redirect, only a request with a safe method is sent again: the
 * first server has already processed the request.
 */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Creates a client that obtains access tokens with the client credentials grant (docs/spec.md §5.2) and presents them.
 *
 * One token request is in flight at a time, and all callers share its token. A token is refreshed in the background
 * before it expires. Until it expires, requests use the old token.
 *
 * A request is repeated with a new token after a 401 `invalid_token`, and with the nonce of the response after a 401
 * `use_dpop_nonce`, each at most once. It is not repeated if its body is a stream, which can be read only once. If the
 * 401 came after a redirect, the request is repeated only if its method is safe, because the first server has already
 * processed it. Because of a 401, a token is replaced at most once in 30 seconds. Otherwise, the 401 is returned.
 *
 * `fetch` and `accessToken` reject with a `TokenClientError` if no token can be obtained: `token_endpoint_unreachable`,
 * `token_request_refused` (with `status`), `invalid_token_response` or `dpop_not_supported`. `fetch` rejects with a
 * `TypeError` for an http URL that is not allowed (option `allowHttp`), and for a request that already has an
 * `Authorization` header.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 *
 * @example
 * ```ts
 * import { tokenClient } from 'keyward/client';
 *
 * const client = tokenClient({
 *   issuer: 'https://access.example.com',
 *   clientId: 'ack_k2pq7hd3m5xw',
 *   clientSecret: process.env.CLIENT_SECRET ?? '',
 * });
 * const response = await client.fetch('https://api.example.com/payments', { method: 'POST', body: '{}' });
 * ```
 */
export function tokenClient(given: TokenClientOptions): TokenClient {
  const { request, findEndpoint, allowHttp } = readOptions(given);
  const { proofs, fetch: send } = request;
  const tokens = new TokenCache(request, findEndpoint);

  async function tokenFor({ signal }: ApiRequest): Promise<CachedToken> {
    signal?.throwIfAborted();
    const token = tokens.current();
    return signal !== undefined && token instanceof Promise ? unlessAborted(token, signal) : token;
  }

  async function exchange(target: ApiRequest): Promise<Response> {
    const repeatedFor = new Set<string | undefined>();
    for (;;) {
      const token = await tokenFor(target);
      const response = await present(target, token);
      if (response.status !== 401 || isFromOtherOrigin(response, target)) return response;
      const error = readChallengeError(response.headers.get('www-authenticate') ?? '', token.scheme);
      if (repeatedFor.has(error) || !canSucceedNow(error, response, token)) return response;
      if (!target.isRepeatable || (response.redirected && !SAFE.includes(target.method))) return response;
      repeatedFor.add(error);
      await response.body?.cancel();
    }
  }

  /** Whether the request may succeed if it is repeated: with another token, or with the nonce of the response. */
  function canSucceedNow(error: string | undefined, response: Response, token: CachedToken): boolean {
    if (error === 'invalid_token') return tokens.drop(token);
    return proofs !== undefined && error === 'use_dpop_nonce' && response.headers.has('dpop-nonce');
  }

  async function present(target: ApiRequest, { accessToken, scheme }: CachedToken): Promise<Response> {
    const headers = new Headers(target.headers);
    headers.set('authorization', `${scheme} ${accessToken}`);
    if (proofs === undefined) return sendApiRequest(target, headers, send);
    const { method, url } = target;
    headers.set('dpop', await proofs.proofFor({ method, url, token: accessToken }));
    const response = await sendApiRequest(target, headers, send);
    proofs.keepNonce({ url, token: accessToken }, response);
    return response;
  }

  return Object.freeze({
    async fetch(input: string | URL | Request, init: RequestInit = {}) {
      const target = readApiRequest(input, init, allowHttp);
      // A DPoP proof is valid for only one URL. So `followRedirects` makes a new proof for each redirect.
      const isFollowed = proofs !== undefined && target.redirect === 'follow';
      return isFollowed ? followRedirects(target, exchange, send) : exchange(target);
    },
    async accessToken() {
      return (await tokens.current()).accessToken;
    },
  });
}

/**
 * Checks whether a redirect led to another origin. In this case `fetch` has removed the token, so a 401 does not mean
 * that the token is invalid.
 */
function isFromOtherOrigin({ redirected, url }: Response, target: ApiRequest): boolean {
  return redirected && new URL(url).origin !== target.url.origin;
}
