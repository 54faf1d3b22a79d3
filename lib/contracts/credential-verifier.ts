/** The contract of a verifier, which verifies a credential and returns its principal. */
import type { Kind } from '../credentials/credential-kind.js';
import type { Principal } from '../credentials/principal.js';
import type { PresentedCredential } from '../http/presented-credential.js';
import type { Clock } from './clock.js';

/**
 * Verifies credentials. `accessTokens` and `apiKeys` create verifiers. Implement this interface for credentials of
 * another system. `P` is the type of the accepted principals.
 */
export interface CredentialVerifier<P extends Principal = Principal> {
  /**
   * The kinds of principals that the verifier may return; a principal of another kind is an error (503). If absent, it
   * may return any kind, and `assertGuarded` requires a guard that names kinds, such as `requireKeyKind`, on every
   * route behind the gate.
   */
  readonly kinds?: readonly Kind[] | undefined;

  /**
   * The credentials that the verifier claims. Two verifiers with the same claim in one `accept` are an error, because
   * the second would never be asked.
   */
  readonly claims?: readonly Claim[] | undefined;

  /**
   * If `true`, the verifier claims every credential that no other verifier claims, so it must be the last one in
   * `accept`.
   */
  readonly claimsRest?: boolean | undefined;

  /**
   * The access tokens that the verifier accepts. Resource metadata names their issuer, so it cannot include a verifier
   * without this property, unless `kinds` says that it accepts only keys.
   */
  readonly tokens?: AcceptedTokens | undefined;

  /**
   * The methods of proof of possession that the verifier accepts. A gate names them in its challenges, and refuses the
   * scheme `DPoP` if no verifier names it here. If you wrap a verifier, copy this property.
   */
  readonly confirmation?: ConfirmationMethods | undefined;

  /**
   * Verifies a credential, which is a b64token (RFC 6750 section 2.1). Return the outcome synchronously if you can, at
   * least for cached credentials. For one request, a gate asks each verifier at most once, and waits without a time
   * limit.
   *
   * If it throws or rejects, or returns an invalid outcome, the request gets 503.
   */
  verify(credential: PresentedCredential): Outcome<P> | Promise<Outcome<P>>;
}

/** The access tokens that a verifier accepts. */
export interface AcceptedTokens {
  /** The authorization server that issues the tokens: their `iss`. */
  readonly issuer: string;
  /**
   * A token must name one of these audiences (RFC 8707 section 2). An empty list means any audience, and cannot be used
   * with resource metadata.
   */
  readonly audiences: readonly string[];
  /** The clock with which the verifier checks times. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Seconds that `iat`, `nbf` and `auth_time` of a token may be in the future. Default: 5. */
  readonly clockTolerance?: number | undefined;
}

/**
 * The methods by which a client can prove that it is the owner of a token.
 */
export interface ConfirmationMethods {
  /**
   * DPoP (RFC 9449): the client uses the scheme `DPoP` and sends a proof, signed with one of the `algorithms`. If
   * `required`, a token must be bound to a key pair; or to a certificate, if `mtls` is required too.
   */
  readonly dpop?: { readonly algorithms: readonly string[]; readonly required: boolean } | undefined;
  /**
   * Mutual TLS (RFC 8705): the client presents its certificate when it connects. If `required`, a token must be bound
   * to a certificate; or to a key pair, if `dpop` is required too.
   */
  readonly mtls?: { readonly required: boolean } | undefined;
}

/**
 * Names a set of credentials for which a verifier is responsible. It is not a claim of a token. Two claims are the same
 * if both properties are equal.
 */
export interface Claim {
  /** What the credentials have in common: the format object of keys, or the issuer of tokens. */
  readonly of: unknown;
  /** A description, for the error message. */
  readonly what: string;
}

/** The result of a verifier. */
export type Outcome<P extends Principal = Principal> = Accepted<P> | Declined | Refused | Unavailable;

/** The credential is valid. */
export interface Accepted<P extends Principal = Principal> {
  readonly outcome: 'accepted';
  readonly principal: P;
  /** A new nonce for the client (RFC 9449 §8.2). If the gate lets the request pass, it is sent as `DPoP-Nonce`. */
  readonly dpopNonce?: string | undefined;
}

/** The verifier does not claim the credential, so the next one is asked. If no verifier claims it, it is refused. */
export interface Declined {
  readonly outcome: 'declined';
  /** The reason, for the operator only. */
  readonly reason?: string | undefined;
}

/** The verifier claims the credential, and it is invalid: 401. */
export interface Refused {
  readonly outcome: 'refused';
  /** The reason, for the operator only. */
  readonly reason: string;
  /** The id of the record, if the verifier found one. */
  readonly keyId?: string | undefined;
  /** The error code for the caller: `invalid_token` (default), or that of the DPoP proof (RFC 9449 §7.1 and §9). */
  readonly code?: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce' | undefined;
  /** The nonce that the client must use. The response sends it in the field `DPoP-Nonce`. */
  readonly dpopNonce?: string | undefined;
}

/** The credential cannot be verified now: 503, never 401. */
export interface Unavailable {
  readonly outcome: 'unavailable';
  /** The reason, for the operator only. */
  readonly reason: string;
  /** Seconds after which the client should retry, rounded up; at least 1. Default: 1. */
  readonly retryAfter?: number | undefined;
}

export const BUILT_IN: unique symbol = Symbol('keyward.builtIn');

/** Marks a verifier that keyward created. The value is the `verify` method of the verifier itself. */
export interface BuiltIn {
  readonly [BUILT_IN]?: CredentialVerifier['verify'];
}

/**
 * Marks a verifier that keyward created. A gate trusts it to check the syntax of credentials that are not cached, and
 * to return valid, frozen principals. The mark is the verifier's own `verify`: an object that copies or inherits the
 * mark and has another `verify` is not trusted.
 */
export function builtIn<V extends CredentialVerifier>(verifier: V): Readonly<V> {
  return Object.freeze(Object.defineProperty(verifier, BUILT_IN, { value: verifier.verify }));
}
