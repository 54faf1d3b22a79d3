import { eventChannel } from './event-channel.js';

/** What the token endpoint answered to one request. It never holds a secret. */
export interface TokenDecision {
  readonly outcome: 'issued' | 'refused' | 'unavailable';
  /** The status of the answer. */
  readonly status: number;
  /** Why it was refused, for the operator alone. docs/reference/events.md lists the reasons. */
  readonly reason: string | undefined;
  /** The access key, once it has proved itself. */
  readonly clientId: string | undefined;
  /** How the client presented its secret; `both`: in header and body, alike. */
  readonly authentication: 'basic' | 'body' | 'both' | undefined;
  /** The scopes granted. */
  readonly scopes: readonly string[] | undefined;
}

/** `keyward:token`: each answer of the token endpoint. */
export const tokenDecisions = eventChannel<TokenDecision>('keyward:token');
