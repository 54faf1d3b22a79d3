import { eventChannel } from './event-channel.js';

/** How an endpoint of the issuer answered a request. The event never contains a secret or a token. */
export interface TokenDecision {
  /** The endpoint: `/connect/token`, `/connect/introspect` or `/connect/revocation`. */
  readonly endpoint: 'token' | 'introspection' | 'revocation';
  /**
   * The result. `introspected`: the endpoint said whether the token is active. `revoked`: also for a token that has
   * expired, or that this issuer did not issue. `refused`: the client got an error. `unavailable`: the issuer could not
   * decide, and the client got 503.
   */
  readonly outcome: 'issued' | 'introspected' | 'revoked' | 'refused' | 'unavailable';
  /** The HTTP status of the response. */
  readonly status: number;
  /** The reason for `refused` or `unavailable`, for the operator only. docs/reference/events.md lists the reasons. */
  readonly reason: string | undefined;
  /** The client ID; `undefined` if the client was not authenticated, because anyone can send any client ID. */
  readonly clientId: string | undefined;
  /** How the client authenticated; `undefined` if it did not. `both`: it sent the same secret in header and body. */
  readonly authentication: 'basic' | 'body' | 'both' | 'assertion' | undefined;
  /** The scopes of the issued token; `undefined` if no token was issued. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * `keyward:token`: publishes each response of the token, introspection and revocation endpoints. An unexpected error
 * goes to `next` and is not published.
 */
export const tokenDecisions = eventChannel<TokenDecision>('keyward:token');
