import { eventChannel } from './event-channel.js';

/** The response of an endpoint of the issuer to one request. It never contains a secret or a token. */
export interface TokenDecision {
  /** The endpoint: `/connect/token`, `/connect/introspect` or `/connect/revocation`. */
  readonly endpoint: 'token' | 'introspection' | 'revocation';
  /** The result. A revocation of a token that was no longer valid is also `revoked`. */
  readonly outcome: 'issued' | 'introspected' | 'revoked' | 'refused' | 'unavailable';
  /** The HTTP status of the response. */
  readonly status: number;
  /** The reason for a refusal, for the operator only. docs/reference/events.md lists the reasons. */
  readonly reason: string | undefined;
  /** The client ID, if it was authenticated. */
  readonly clientId: string | undefined;
  /** How the client authenticated. `both`: it sent the same secret in header and body. */
  readonly authentication: 'basic' | 'body' | 'both' | 'assertion' | undefined;
  /** The granted scopes. */
  readonly scopes: readonly string[] | undefined;
}

/** `keyward:token`: publishes each response of the token, introspection and revocation endpoints. */
export const tokenDecisions = eventChannel<TokenDecision>('keyward:token');
