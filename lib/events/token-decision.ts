import { eventChannel } from './event-channel.js';

/** How an endpoint of an issuer (`createIssuer`) answered a request. The event never contains a secret or a token. */
export interface TokenDecision {
  /** The endpoint: `/connect/token`, `/connect/introspect` or `/connect/revocation`. */
  readonly endpoint: 'token' | 'introspection' | 'revocation';
  /**
   * `issued`: the client got a token. `introspected`: the endpoint said whether a token is active. `revoked`: the
   * endpoint answered a revocation with 200, even if the token has expired or another issuer issued it. `refused`: the
   * client got an error. `unavailable`: the issuer could not decide, and the client got 503.
   */
  readonly outcome: 'issued' | 'introspected' | 'revoked' | 'refused' | 'unavailable';
  /** The HTTP status of the response. */
  readonly status: number;
  /**
   * The exact reason for `refused` or `unavailable`, which the client does not see. docs/reference/events.md lists the
   * reasons.
   */
  readonly reason: string | undefined;
  /**
   * The client ID; `undefined` if the client did not authenticate, because anyone can send the client ID of another
   * client.
   */
  readonly clientId: string | undefined;
  /**
   * How the client authenticated; `undefined` if it did not. `both`: it sent the same secret in the header and in the
   * body.
   */
  readonly authentication: 'basic' | 'body' | 'both' | 'assertion' | undefined;
  /** The scopes of the issued token; `undefined` if no token was issued. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * `keyward:token`: publishes each response of the token, introspection and revocation endpoints. An unexpected error
 * goes to `next` and is not published.
 */
export const tokenDecisions = eventChannel<TokenDecision>('keyward:token');
