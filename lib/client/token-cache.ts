/**
 * Caches the access token of one client. All callers share one token request, and the token is refreshed before it
 * expires.
 */
import { type Clock, elapsed, type Instant, instantOf } from '../contracts/clock.js';
import { type ObtainedToken, requestToken, type TokenRequest } from './request-token.js';
import { TokenClientError } from './token-client-error.js';

/**
 * A token is refreshed this many milliseconds before it expires, or after nine tenths of its lifetime, whichever is
 * later.
 */
const MAX_REFRESH_MARGIN = 60_000;
const REFRESH_SHARE = 0.1;
/** Minimum milliseconds between a failed refresh and the next one, while the old token is valid. */
const REFRESH_AGAIN_AFTER = 5_000;
/**
 * If the API refuses a token, the client drops it and obtains a new one, but only once in this many milliseconds. If
 * the cause is for example a wrong audience, the API refuses the new token too. Without this limit, each call would
 * then request another token.
 */
const DROP_AGAIN_AFTER = 30_000;
/** The lifetime in seconds that is assumed for a token without `expires_in`. */
const DEFAULT_LIFETIME = 60;
/**
 * For this many milliseconds after the client has read the URL of the token endpoint from the metadata, it uses this
 * URL even if requests fail.
 */
const FIND_AGAIN_AFTER = 60_000;
/** HTTP statuses that suggest that the issuer has moved its token endpoint to another URL. */
const MOVED = [301, 302, 307, 308, 404, 405, 410];

export interface CachedToken extends Pick<ObtainedToken, 'accessToken' | 'scheme'> {
  readonly requestedAt: Instant;
  /** Milliseconds from `requestedAt` to the refresh. */
  readonly refreshAfter: number;
  readonly lifetime: number;
}

export class TokenCache {
  readonly #request: TokenRequest;
  readonly #clock: Clock;
  readonly #findEndpoint: () => Promise<URL>;
  #cached: CachedToken | undefined;
  #pending: Promise<CachedToken> | undefined;
  #endpoint: { readonly url: Promise<URL>; readonly foundAt: Instant } | undefined;
  #droppedAt: Instant | undefined;

  constructor(request: TokenRequest, findEndpoint: () => Promise<URL>) {
    this.#request = request;
    this.#clock = request.clock;
    this.#findEndpoint = findEndpoint;
  }

  /**
   * Returns the cached token until it expires. Shortly before, it starts a refresh in the background. Without a valid
   * token, it returns a promise of a new token, which rejects with a `TokenClientError` if no token can be obtained.
   */
  current(): CachedToken | Promise<CachedToken> {
    const cached = this.#cached;
    const age = cached === undefined ? 0 : this.#since(cached.requestedAt);
    if (cached !== undefined && age < cached.refreshAfter) return cached;
    this.#pending ??= this.#startRequest();
    return cached !== undefined && age < cached.lifetime ? cached : this.#pending;
  }

  /**
   * Removes a token from the cache after the API has refused it.
   *
   * @returns Whether the next call of `current` returns another token. `false` if another token was dropped less than
   *   `DROP_AGAIN_AFTER` ago: the refused token then stays in the cache.
   */
  drop({ accessToken }: CachedToken): boolean {
    if (this.#cached?.accessToken !== accessToken) return true;
    if (this.#droppedAt !== undefined && this.#since(this.#droppedAt) < DROP_AGAIN_AFTER) return false;
    this.#droppedAt = instantOf(this.#clock);
    this.#cached = undefined;
    return true;
  }

  #startRequest(): Promise<CachedToken> {
    const pending = this.#obtain().finally(() => {
      this.#pending = undefined;
    });
    // A refresh in the background may have no caller. Without this handler, its rejection would end the process.
    pending.catch(() => undefined);
    return pending;
  }

  async #obtain(): Promise<CachedToken> {
    const previous = this.#cached;
    try {
      this.#cached = await this.#requestNow();
      return this.#cached;
    } catch (error) {
      if (previous !== undefined && previous === this.#cached) {
        // The next refresh starts after `REFRESH_AGAIN_AFTER`. Without this delay, every call would send a request to
        // the failing server.
        const refreshAfter = Math.min(this.#since(previous.requestedAt) + REFRESH_AGAIN_AFTER, previous.lifetime);
        this.#cached = { ...previous, refreshAfter };
      }
      throw error;
    }
  }

  async #requestNow(): Promise<CachedToken> {
    const url = await this.#endpointUrl();
    const requestedAt = instantOf(this.#clock);
    const {
      accessToken,
      scheme,
      expiresIn = DEFAULT_LIFETIME,
    } = await requestToken(url, this.#request).catch((error) => {
      this.#dropMovedEndpoint(error);
      throw error;
    });
    const lifetime = expiresIn * 1_000;
    const margin = Math.min(MAX_REFRESH_MARGIN, lifetime * REFRESH_SHARE);
    return { accessToken, scheme, requestedAt, refreshAfter: lifetime - margin, lifetime };
  }

  async #endpointUrl(): Promise<URL> {
    this.#endpoint ??= { url: this.#findEndpoint(), foundAt: instantOf(this.#clock) };
    try {
      return await this.#endpoint.url;
    } catch (error) {
      this.#endpoint = undefined;
      throw error;
    }
  }

  /**
   * Removes the cached URL of the token endpoint after an error that suggests that the issuer has moved the endpoint.
   * The next request then reads the URL from the metadata again.
   */
  #dropMovedEndpoint(error: unknown): void {
    if (this.#endpoint === undefined || this.#since(this.#endpoint.foundAt) < FIND_AGAIN_AFTER) return;
    if (!(error instanceof TokenClientError)) return;
    if (error.code === 'token_endpoint_unreachable' || MOVED.includes(error.status ?? 0)) this.#endpoint = undefined;
  }

  #since(instant: Instant): number {
    return elapsed(instant, instantOf(this.#clock));
  }
}
