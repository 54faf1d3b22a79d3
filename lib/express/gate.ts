import type { Kind } from '../credentials/kind.js';
import type { ChallengeContext } from '../protocol/challenge.js';
import type { BearerErrorCode } from '../protocol/oauth-error.js';
import type { Middleware } from './middleware.js';

/** A mounted `requireBearer`: a middleware that says which credentials are taken there. */
export interface Gate extends Middleware {
  readonly [GATE]: GateFacts;
}

/** What a gate says of itself: to guards behind it, and to whoever audits the routes. */
export interface GateFacts {
  readonly challenge: ChallengeContext;
  /** Its challenges that name no scopes. */
  readonly plainChallenges: Readonly<Record<BearerErrorCode, string>>;
  /** The kinds that may come in; `undefined` where a verifier does not say. */
  readonly kinds: readonly Kind[] | undefined;
  readonly optional: boolean;
  readonly bareKeys: boolean;
}

// Registered, so that an audit recognises the gates of another copy of keyward.
export const GATE: unique symbol = Symbol.for('keyward.gate') as never;

/** Makes a middleware a gate. What copies its properties onto a wrapper does not make that one too. */
export function asGate(middleware: Middleware, facts: GateFacts): Gate {
  return Object.freeze(Object.defineProperty(middleware, GATE, { value: facts }) as Gate);
}

/** What a function says of itself, if it is a gate. */
export function gateFactsOf(handle: unknown): GateFacts | undefined {
  return typeof handle === 'function' ? (handle as Partial<Gate>)[GATE] : undefined;
}
