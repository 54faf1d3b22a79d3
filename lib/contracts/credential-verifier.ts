/** The interface of a verifier: it gets the credential of a request, and decides whether the credential is valid. */
import type { Kind } from '../credentials/credential-kind.js';
import type { Principal } from '../credentials/principal.js';
import type { PresentedCredential } from '../http/presented-credential.js';
import type { Clock } from './clock.js';

/**
 * Verifies credentials. `accessTokens`, `introspectedTokens` and `apiKeys` create verifiers. Implement this interface
 * to accept the credentials of another system. `P` is the type of the principals that the verifier returns.
 */
export interface CredentialVerifier<P extends Principal = Principal> {
  /**
   * The kinds of principals that the verifier may return. A principal of another kind is an error: 503. If this
   * property is absent, the verifier may return any kind. `assertGuarded` then requires a guard that names kinds, such
   * as `requireKeyKind`, on every route that uses the verifier.
   */
  readonly kinds?: readonly Kind[] | undefined;

  /**
   * The sets of credentials that this verifier is responsible for. Two verifiers with the same claim in one option
   * `accept` are an error, because the second verifier would never be asked.
   */
  readonly claims?: readonly Claim[] | undefined;

  /**
   * If `true`, the verifier claims every credential that no other verifier claims, so it must be the last one in
   * `accept`. It is not asked about an API key that a verifier before it declined (see `Declined`).
   */
  readonly claimsRest?: boolean | undefined;

  /**
   * The access tokens that the verifier accepts. `resourceMetadata` publishes their issuer, so it refuses a verifier
   * without this property, unless `kinds` says that the verifier accepts only keys.
   */
  readonly tokens?: AcceptedTokens | undefined;

  /**
   * How clients can prove to this verifier that they own a token. A gate (`requireBearer`) names DPoP in its challenges
   * only if a verifier names it here; otherwise it refuses the scheme `DPoP`. If you wrap a verifier, copy this
   * property.
   */
  readonly confirmation?: ConfirmationMethods | undefined;

  /**
   * Verifies a credential. The text of the credential is a b64token (RFC 6750 section 2.1). Return the outcome
   * synchronously if you can, at least for cached credentials. For one request, a gate (`requireBearer`) asks each
   * verifier at most once, and waits without a time limit.
   *
   * If the method throws or rejects, or returns an invalid outcome, the request gets 503.
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
  /** How many seconds `iat`, `nbf` and `auth_time` of a token may be in the future. Default: 5. */
  readonly clockTolerance?: number | undefined;
}

/** How a client can prove that a token was issued to it (proof of possession). */
export interface ConfirmationMethods {
  /**
   * DPoP (RFC 9449): the client uses the scheme `DPoP` and sends a proof, signed with one of the `algorithms`. If
   * `required` is true, every token must be bound to a key pair. If `mtls` is required too, a token may be bound to a
   * certificate instead.
   */
  readonly dpop?: { readonly algorithms: readonly string[]; readonly required: boolean } | undefined;
  /**
   * Mutual TLS (RFC 8705): the client presents its certificate when it connects. If `required` is true, every token
   * must be bound to a certificate. If `dpop` is required too, a token may be bound to a key pair instead.
   */
  readonly mtls?: { readonly required: boolean } | undefined;
}

/**
 * Names a set of credentials that a verifier is responsible for. It has nothing to do with the claims of a JWT. Two
 * claims are the same if both properties are equal.
 */
export interface Claim {
  /** What identifies the set: for keys, the object of their format; for tokens, their issuer. */
  readonly of: unknown;
  /** A description of the set for the error message, such as `live secret keys`. */
  readonly what: string;
}

/** The result of a verifier. */
export type Outcome<P extends Principal = Principal> = Accepted<P> | Declined | Refused | Unavailable;

/** The credential is valid. */
export interface Accepted<P extends Principal = Principal> {
  readonly outcome: 'accepted';
  readonly principal: P;
  /**
   * A new DPoP nonce for the client (RFC 9449 §8.2). A response to an accepted request sends it in the field
   * `DPoP-Nonce`.
   */
  readonly dpopNonce?: string | undefined;
}

/**
 * The result that a verifier of keyward returns to a gate, or the validated result of a custom verifier. Only files of
 * keyward get it (see `builtIn`).
 */
export type OutcomeWithEntry<P extends Principal = Principal> = AcceptedWithEntry<P> | Declined | Refused | Unavailable;

export const ENTRY: unique symbol = Symbol('keyward.entry');

/** The credential is valid, and this is the entry that the gate may store. */
export interface AcceptedWithEntry<P extends Principal = Principal> extends Accepted<P> {
  /**
   * The cache entry of the credential, with the same principal; `undefined` if a custom verifier accepted it. With
   * `cache: false`, the entry is used for one request only.
   */
  readonly [ENTRY]: CredentialEntry<P> | undefined;
}

/** The part of a cache entry that a gate uses. All requests with the same credential share the entry. */
export interface CredentialEntry<P extends Principal = Principal> {
  readonly principal: P;
  /**
   * The metadata of the gate that first accepted the credential; `undefined` until then. Such a gate stores this entry
   * as the authentication context of the request. Other gates store a new object, which is slower (docs/decisions/0033).
   */
  gate: object | undefined;
}

/**
 * The verifier is not responsible for the credential, so the next verifier is asked. If every verifier declines the
 * credential, it is refused.
 */
export interface Declined {
  readonly outcome: 'declined';
  /**
   * The reason, for the operator only. With `kind_not_accepted` or `other_environment`, the credential is an API key
   * that this verifier does not accept. A verifier with `claimsRest` is then not asked.
   */
  readonly reason?: string | undefined;
}

/** The verifier is responsible for the credential, and the credential is invalid: 401. */
export interface Refused {
  readonly outcome: 'refused';
  /** The reason, for the operator only. */
  readonly reason: string;
  /** The id of the record, if the verifier found one. */
  readonly keyId?: string | undefined;
  /** The error code in the response: `invalid_token` (the default), or an error code of DPoP (RFC 9449 §7.1 and §9). */
  readonly code?: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce' | undefined;
  /** The DPoP nonce that the client must use. The response sends it in the field `DPoP-Nonce`. */
  readonly dpopNonce?: string | undefined;
}

/**
 * The credential cannot be verified now, for example because the store does not answer: 503. A 401 would make the
 * client discard a credential that may be valid.
 */
export interface Unavailable {
  readonly outcome: 'unavailable';
  /** The reason, for the operator only. */
  readonly reason: string;
  /** Seconds after which the client should retry, rounded up; at least 1. Default: 1. */
  readonly retryAfter?: number | undefined;
}

export const BUILT_IN: unique symbol = Symbol('keyward.builtIn');

/** The mark of a verifier that keyward created. */
export interface BuiltInMark<P extends Principal = Principal> {
  /**
   * The marked verifier. An object that inherits or copies the mark is another object, and is not trusted: it may have
   * other `kinds`, for example.
   */
  readonly verifier: object;
  /** Verifies a credential, as the verifier does, and returns the cache entry too. */
  readonly verify: (credential: PresentedCredential) => OutcomeWithEntry<P> | Promise<OutcomeWithEntry<P>>;
}

/** A verifier that keyward created has this property. */
export interface BuiltIn {
  readonly [BUILT_IN]?: BuiltInMark;
}

/**
 * Makes a verifier of keyward. A gate (`requireBearer`) trusts it to check the syntax of credentials that are not
 * cached, and to return valid, frozen principals.
 *
 * The method `verify` of the result does not return the cache entry: a verifier that wraps it could freeze or change
 * the entry, and a revoked credential would then be accepted. A gate calls `verify` of the mark.
 */
export function builtIn<P extends Principal, V extends object>(
  facts: V,
  verify: BuiltInMark<P>['verify'],
): Readonly<V & CredentialVerifier<P>> {
  const verifier = {
    ...facts,
    verify(credential: PresentedCredential): Outcome<P> | Promise<Outcome<P>> {
      const outcome = verify(credential);
      return outcome instanceof Promise ? outcome.then(withoutEntry) : withoutEntry(outcome);
    },
  };
  const mark: BuiltInMark<P> = { verifier, verify };
  return Object.freeze(Object.defineProperty(verifier, BUILT_IN, { value: mark }));
}

function withoutEntry<P extends Principal>(outcome: OutcomeWithEntry<P>): Outcome<P> {
  if (outcome.outcome !== 'accepted') return outcome;
  const { principal, dpopNonce } = outcome;
  return { outcome: 'accepted', principal, dpopNonce };
}
