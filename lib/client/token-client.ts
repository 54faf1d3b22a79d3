/** A client that obtains, caches and refreshes access tokens, and presents them to a protected API. */
import { SECURE_URL, secureUrl } from '../http/secure-url.js';
import { requestToken } from './request-token.js';
import { readOptions, type TokenClientOptions } from './token-client-options.js';

/** The client that `tokenClient` returns. */
export interface TokenClient {
  /** Sends a request with an access token. It takes the arguments of the global `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Returns an access token that does not expire soon. */
  accessToken(): Promise<string>;
}

/**
 * A token is refreshed at most this many milliseconds before it expires. A short-lived token is refreshed after nine
 * tenths of its lifetime.
 */
const MAX_REFRESH_MARGIN = 60_000;
const REFRESH_SHARE = 0.1;
/** Milliseconds from a failed refresh to the next one. */
const REFRESH_AGAIN_AFTER = 5_000;
/** The seconds for which a token without `expires_in` is used. */
const DEFAULT_LIFETIME = 60;

interface CachedToken {
  readonly accessToken: string;
  readonly scheme: 'Bearer' | 'DPoP';
  /**
   * When the token was requested, by both clocks. The wall clock may be set, and the monotonic clock stops while the
   * machine sleeps.
   */
  readonly requestedAt: { readonly wall: number; readonly monotonic: number };
  /** Milliseconds from `requestedAt` to the refresh. */
  readonly refreshAfter: number;
  readonly lifetime: number;
}

/**
 * Creates a client that obtains access tokens with the client credentials grant (docs/spec.md §5.2) and presents them.
 *
 * One token request is in flight at a time, and all callers share its token. A token is refreshed before it expires. If
 * that fails, the old token is used until it expires. A request that is answered 401 `invalid_token` is repeated once
 * with a new token, if its body can be sent again: a stream cannot. A request that is answered 401 `use_dpop_nonce` is
 * repeated in the same way, and no other.
 *
 * `fetch` and `accessToken` reject with a `TokenClientError` if no token can be obtained: `token_endpoint_unreachable`,
 * `token_request_refused` (with `status`), `invalid_token_response` or `dpop_not_supported`. `fetch` rejects with a
 * `TypeError` for a URL that is not https, and for a request that already has an `Authorization` field.
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
  const { proofs, clock } = request;
  let cached: CachedToken | undefined;
  let pending: Promise<CachedToken> | undefined;
  let endpoint: Promise<URL> | undefined;

  function currentToken(): CachedToken | Promise<CachedToken> {
    if (cached !== undefined && ageOf(cached) < cached.refreshAfter) return cached;
    pending ??= obtainToken().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  async function obtainToken(): Promise<CachedToken> {
    const previous = cached;
    try {
      cached = await requestNow();
      return cached;
    } catch (error) {
      if (previous === undefined || previous !== cached || ageOf(previous) >= previous.lifetime) throw error;
      // Otherwise every call would wait for a server that fails or does not answer.
      cached = { ...previous, refreshAfter: Math.min(ageOf(previous) + REFRESH_AGAIN_AFTER, previous.lifetime) };
      return cached;
    }
  }

  async function requestNow(): Promise<CachedToken> {
    endpoint ??= findEndpoint();
    const url = await endpoint.catch((error) => {
      endpoint = undefined;
      throw error;
    });
    const requestedAt = { wall: clock.now(), monotonic: clock.monotonic() };
    const { accessToken, scheme, expiresIn = DEFAULT_LIFETIME } = await requestToken(url, request);
    const lifetime = expiresIn * 1_000;
    const margin = Math.min(MAX_REFRESH_MARGIN, lifetime * REFRESH_SHARE);
    return { accessToken, scheme, requestedAt, refreshAfter: lifetime - margin, lifetime };
  }

  function ageOf({ requestedAt: { wall, monotonic } }: CachedToken): number {
    return Math.max(clock.now() - wall, clock.monotonic() - monotonic);
  }

  async function send(target: Request, isRepeatable: boolean): Promise<Response> {
    const first = await currentToken();
    // A request without a body can be sent twice without a copy.
    const response = await present(isRepeatable && target.body !== null ? target.clone() : target, first);
    const fault = faultOf(response);
    if (!isRepeatable || response.status !== 401) return response;
    if (fault === 'invalid_token') {
      if (cached?.accessToken === first.accessToken) cached = undefined;
    } else if (proofs === undefined || fault !== 'use_dpop_nonce' || !response.headers.has('dpop-nonce'))
      return response;
    await response.body?.cancel();
    return present(target, await currentToken());
  }

  async function present(target: Request, { accessToken, scheme }: CachedToken): Promise<Response> {
    target.headers.set('authorization', `${scheme} ${accessToken}`);
    if (proofs === undefined) return request.fetch(target);
    const url = new URL(target.url);
    target.headers.set('dpop', await proofs.proofFor({ method: target.method, url, token: accessToken }));
    const response = await request.fetch(target);
    proofs.keepNonce(url, response);
    return response;
  }

  return Object.freeze({
    async fetch(input: string | URL | Request, init: RequestInit = {}) {
      const target = new Request(input, init);
      if (secureUrl(target.url.split('#', 1)[0], allowHttp) === undefined) {
        throw new TypeError(`fetch: the URL must be ${SECURE_URL}`);
      }
      if (target.headers.has('authorization')) {
        throw new TypeError('fetch: the request already has an Authorization header; remove it');
      }
      return send(target, isRepeatable(target, init));
    },
    async accessToken() {
      return (await currentToken()).accessToken;
    },
  });
}

/** Checks whether a request can be sent again. A stream can be read only once. */
function isRepeatable(target: Request, { body }: RequestInit): boolean {
  return target.body === null || (body !== undefined && !(body instanceof ReadableStream) && !isIterable(body));
}

function isIterable(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Returns the error code of the Bearer or DPoP challenge (RFC 6750 §3, RFC 9449 §7.1). */
function faultOf({ headers }: Response): string | undefined {
  return /\berror="([a-z_]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1];
}
