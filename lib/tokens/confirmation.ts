/**
 * Checks proofs of possession: a token with `cnf` (RFC 7800 section 3.1) is accepted only if the client proves that it
 * has the key that `cnf` names. So a stolen token is useless without this key.
 */
import { clockOption } from '../contracts/clock-option.js';
import {
  type AcceptedWithEntry,
  type ConfirmationMethods,
  type CredentialEntry,
  ENTRY,
  type OutcomeWithEntry,
  type Refused,
} from '../contracts/credential-verifier.js';
import type { AccessPrincipal } from '../credentials/principal.js';
import type { CredentialRequest, PresentedCredential } from '../http/presented-credential.js';
import { optional } from '../options/option-table.js';
import { type Dpop, readDpopOptions } from './dpop/dpop-options.js';
import { isThumbprint } from './dpop/proof-key.js';
import type { ProofResult } from './dpop/proof-verifier.js';
import { judgeCertificate } from './mtls/certificate.js';
import { type Mtls, readMtlsOptions } from './mtls/mtls-options.js';

/** The keys that a token is bound to, by their thumbprints; at least one of them is set. */
export interface BoundKeys {
  /** The thumbprint of the key pair that must sign the DPoP proof (RFC 9449 section 6.1). */
  readonly jkt: string | undefined;
  /** `x5t#S256`: the thumbprint of the certificate that the client must present (RFC 8705 section 3.1). */
  readonly x5t: string | undefined;
}

/** The parts of a verified token that the proof of possession needs. */
export interface BoundToken extends CredentialEntry<AccessPrincipal> {
  /** `undefined` if the token is not bound. */
  readonly boundKeys?: BoundKeys | undefined;
}

/** The outcome for a valid token. The client must still prove possession if the token is bound. */
export type AcceptedToken<T extends BoundToken = BoundToken> = AcceptedWithEntry<AccessPrincipal> & {
  readonly [ENTRY]: T;
};

const NO_REQUEST: CredentialRequest = Object.freeze({});
const MEMBERS = ['jkt', 'x5t#S256'];

/** The options `dpop` and `mtls` of a verifier of access tokens. */
export const CONFIRMATION_OPTIONS = {
  dpop: optional<Dpop>((options, name) =>
    readDpopOptions(options.factory, options.raw(name), clockOption(options, 'clock')),
  ),
  mtls: optional<Mtls>((options, name) => readMtlsOptions(options.factory, options.raw(name))),
};

/**
 * Creates the `Confirmation` of a verifier of access tokens; `undefined` if the verifier has neither `dpop` nor `mtls`.
 */
export function createConfirmation(dpop: Dpop | undefined, mtls: Mtls | undefined): Confirmation | undefined {
  return dpop === undefined && mtls === undefined ? undefined : new Confirmation(dpop, mtls);
}

/** Reads `cnf` of tokens, and checks that each request proves possession of the keys that `cnf` names. */
export class Confirmation {
  /** The accepted methods, for the challenges of gates and for resource metadata. */
  readonly methods: ConfirmationMethods;
  readonly #dpop: Dpop | undefined;
  readonly #mtls: Mtls | undefined;

  constructor(dpop: Dpop | undefined, mtls: Mtls | undefined) {
    this.#dpop = dpop;
    this.#mtls = mtls;
    this.methods = Object.freeze({
      dpop: dpop && Object.freeze({ algorithms: dpop.algorithms, required: dpop.required }),
      mtls: mtls && Object.freeze({ required: mtls.required }),
    });
  }

  /**
   * Reads the claim `cnf`.
   *
   * @returns `undefined` if `cnf` names no key, or a key that cannot be checked: its type is unknown, its thumbprint is
   *   invalid, or the option for it (`dpop` or `mtls`) is not set. The caller must then refuse the token, because
   *   otherwise a thief could use it without a proof.
   */
  readBoundKeys(cnf: unknown): BoundKeys | undefined {
    if (typeof cnf !== 'object' || cnf === null || Array.isArray(cnf)) return undefined;
    const names = Object.keys(cnf);
    if (names.length === 0 || !names.every((name) => MEMBERS.includes(name))) return undefined;
    const { jkt, 'x5t#S256': x5t } = cnf as Record<string, unknown>;
    if (names.includes('jkt') && (this.#dpop === undefined || !isThumbprint(jkt))) return undefined;
    if (names.includes('x5t#S256') && (this.#mtls === undefined || !isThumbprint(x5t))) return undefined;
    return { jkt: jkt as string | undefined, x5t: x5t as string | undefined };
  }

  /**
   * Checks that a token is bound to a key if the options require this. Also checks that the request has the right
   * scheme, and that it proves possession of the keys. The result is not cached: each request needs its own proof.
   *
   * @returns `token` itself if it is accepted without a DPoP proof. With a valid proof, a new outcome with the DPoP
   *   nonce for the client.
   */
  confirm(
    credential: PresentedCredential,
    token: AcceptedToken,
  ): OutcomeWithEntry<AccessPrincipal> | Promise<OutcomeWithEntry<AccessPrincipal>> {
    const { principal } = token;
    const { boundKeys } = token[ENTRY];
    if (!this.#isEnough(boundKeys)) return refused('cnf_missing', principal);
    // A token with `jkt` must not be accepted with the scheme `Bearer`, which has no proof (RFC 9449 section 7.2). A
    // token without `jkt` must not be accepted with the scheme `DPoP`.
    if ((boundKeys?.jkt !== undefined) !== (credential.scheme === 'DPoP')) return refused('cnf_scheme', principal);
    if (boundKeys === undefined) return token;
    const { request = NO_REQUEST } = credential;
    if (boundKeys.x5t !== undefined) {
      const state = judgeCertificate(request, boundKeys.x5t, this.#mtls?.certificateOf);
      if (state === 'unreadable') return { outcome: 'unavailable', reason: 'certificate_unreadable' };
      if (state === 'absent') return refused('certificate_missing', principal);
      if (state === 'other') return refused('certificate_other', principal);
    }
    if (boundKeys.jkt === undefined || this.#dpop === undefined) return token;
    const expected = { tokenHash: tokenHashOf(credential), thumbprint: boundKeys.jkt };
    const result = this.#dpop.proofs.verify(request, expected);
    return result instanceof Promise ? result.then((proof) => outcomeOf(proof, token)) : outcomeOf(result, token);
  }

  /**
   * Whether the token is bound to a key as the options require. If both methods are required, one of them is enough.
   */
  #isEnough(boundKeys: BoundKeys | undefined): boolean {
    const dpop = this.#dpop?.required === true;
    const mtls = this.#mtls?.required === true;
    if (!dpop && !mtls) return true;
    return (dpop && boundKeys?.jkt !== undefined) || (mtls && boundKeys?.x5t !== undefined);
  }
}

/**
 * Returns the value that `ath` of a proof must have: SHA-256 of the token in base64url (RFC 9449 section 4.2).
 * `cacheKey` is the same hash as a binary string.
 */
function tokenHashOf({ cacheKey }: PresentedCredential): string {
  return Buffer.from(cacheKey, 'latin1').toString('base64url');
}

function outcomeOf(result: ProofResult, token: AcceptedToken): OutcomeWithEntry<AccessPrincipal> {
  const { principal, [ENTRY]: entry } = token;
  if (result.outcome === 'proven') return { outcome: 'accepted', principal, dpopNonce: result.nonce, [ENTRY]: entry };
  if (result.outcome === 'unavailable') return result;
  return { ...refused(result.reason, principal), code: result.code, dpopNonce: result.nonce };
}

function refused(reason: string, { keyId }: AccessPrincipal): Refused {
  return { outcome: 'refused', reason, keyId };
}
