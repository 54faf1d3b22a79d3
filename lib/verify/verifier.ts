/** The contract of a verifier: credential to principal. */
import type { Kind } from '../credentials/kind.js';
import type { Principal } from '../credentials/principal.js';
import type { PresentedCredential } from './presented-credential.js';

/**
 * Proves who a credential stands for. `accessTokens` and `apiKeys` make them; implement one for introspection, or for
 * credentials of another system.
 */
export interface CredentialVerifier {
  /**
   * The kinds of principal that it may bring. A verifier that does not say may bring any, and `assertGuarded` asks for
   * a `requireKeyKind` on every route behind it.
   */
  readonly kinds?: readonly Kind[];

  /** What it claims. Two verifiers that claim the same in one `accept` are a mistake: the second is never asked. */
  readonly claims?: readonly Claim[];

  /**
   * Judges a credential, whose text is a b64token (RFC 6750 §2.1). Answer synchronously where you can.
   *
   * A verifier that throws or rejects counts as unavailable.
   */
  verify(credential: PresentedCredential): Outcome | Promise<Outcome>;

  /**
   * Answers from memory, for bytes that `verify` has accepted before and that still hold; `undefined` to be asked by
   * `verify`. Nothing has been checked of the text here. It must not throw.
   */
  recall?(credential: PresentedCredential): Principal | undefined;
}

/** One thing that a verifier claims: two claims are the same when both members are. */
export interface Claim {
  readonly of: unknown;
  /** In words, for the error. */
  readonly what: string;
}

/** What a verifier found. */
export type Outcome = Accepted | Declined | Refused | Unavailable;

/** It is who it says. */
export interface Accepted {
  readonly outcome: 'accepted';
  readonly principal: Principal;
}

/** It is not this verifier's: the next one is asked. When nobody claims it, it is refused. */
export interface Declined {
  readonly outcome: 'declined';
  /** Why, for the operator alone. */
  readonly reason?: string;
}

/** It is this verifier's, and bad: 401 `invalid_token`. */
export interface Refused {
  readonly outcome: 'refused';
  /** Why, for the operator alone. */
  readonly reason: string;
  /** The record's id, where one was found. */
  readonly keyId?: string | undefined;
}

/** It cannot be known now: 503, never 401. */
export interface Unavailable {
  readonly outcome: 'unavailable';
  /** Why, for the operator alone. */
  readonly reason: string;
  /** Seconds after which asking again may help; 1 where it is not said. */
  readonly retryAfter?: number;
}
