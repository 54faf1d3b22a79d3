/**
 * Verifies DPoP proofs (RFC 9449 section 4.3), at a gate and at the token endpoint, and accepts each proof only once.
 */

import type { Clock } from '../../contracts/clock.js';
import type { ReplayCache } from '../../contracts/replay-cache.js';
import type { CredentialRequest } from '../../http/presented-credential.js';
import { type CompactJws, type ReadJoseHeader, readCompactJws } from '../../protocol/compact-jws.js';
import { mediaType, REFUSED_HEADER_MEMBERS } from '../../protocol/jose-rules.js';
import { type JsonObject, own } from '../../protocol/strict-json.js';
import { normalizePath, normalizeUri, requestPath } from '../../protocol/target-uri.js';
import { ReplayCheck } from '../../replay/replay-check.js';
import { joseHeaderReader } from '../jose-header-cache.js';
import { verifySignature } from '../signature.js';
import type { Nonces } from './nonces.js';
import { type ProofJwk, ProofKeys, readProofJwk } from './proof-key.js';

export interface ProofRules {
  /** The normalized origins of the server: scheme, host and port as clients see them. */
  readonly origins: readonly string[];
  readonly algorithms: readonly string[];
  /** Maximum seconds since `iat`. */
  readonly maxAge: number;
  readonly nonces: Nonces | undefined;
  readonly replay: ReplayCache;
  /** Creates the id of a proof in the replay cache. */
  readonly replayIdOf: (thumbprint: string, jti: string) => string;
  readonly clock: Clock;
}

/** The token and key that a proof must be bound to. */
export interface ExpectedBinding {
  /**
   * The value that `ath` of the proof must have: SHA-256 of the access token in base64url. `undefined` at the token
   * endpoint, because there is no access token yet.
   */
  readonly tokenHash: string | undefined;
  /** The thumbprint of the key that must have signed the proof. `undefined`: any key may sign. */
  readonly thumbprint: string | undefined;
}

export type ProofResult = ProvenKey | RefusedProof | { readonly outcome: 'unavailable'; readonly reason: string };

/** The proof is valid: the client has the private key that belongs to the public key with this thumbprint. */
export interface ProvenKey {
  readonly outcome: 'proven';
  /** RFC 7638, SHA-256, base64url: the `jkt` of a token that is bound to the key. */
  readonly thumbprint: string;
  /** The value for the field `DPoP-Nonce` of the response; `undefined` if the client needs no new nonce. */
  readonly nonce: string | undefined;
}

export interface RefusedProof {
  readonly outcome: 'refused';
  /**
   * The error code for the client. `use_dpop_nonce`: the nonce is missing or not accepted. `invalid_token`: the proof
   * is signed with another key than the one to which the token is bound (RFC 9449 section 7.1). `invalid_dpop_proof`:
   * any other mistake.
   */
  readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce' | 'invalid_token';
  /** The reason, for the operator only. */
  readonly reason: string;
  /** The value for the field `DPoP-Nonce` of the response; only for `use_dpop_nonce`. */
  readonly nonce: string | undefined;
}

const MAX_PROOF_LENGTH = 8_192;
const MAX_JTI_LENGTH = 256;
/**
 * Seconds by which `iat` may be in the future. The clocks of servers that share a replay cache may differ by the same
 * time.
 */
const TOLERANCE = 5;
/** Header parameters that are refused in a proof: the same as in every JWT, but not `jwk`, which a proof must have. */
const REFUSED_MEMBERS = REFUSED_HEADER_MEMBERS.filter((name) => name !== 'jwk');

export class ProofVerifier {
  readonly #rules: ProofRules;
  readonly #keys = new ProofKeys();
  /** Parses the header of a proof, with a cache: the proofs of one client usually have the same header. */
  readonly #readHeader = joseHeaderReader();
  readonly #jwks = new WeakMap<JsonObject, ProofJwk>();
  readonly #replayCheck: ReplayCheck;

  constructor(rules: ProofRules) {
    this.#rules = rules;
    this.#replayCheck = new ReplayCheck(rules.replay);
  }

  /**
   * Verifies every rule for the proof of a request, and stores the id of a valid proof, so that it cannot be used
   * again. It never throws or rejects.
   *
   * @returns Synchronously, unless the algorithm is slow (P-384) or the replay cache answers asynchronously.
   */
  verify(request: CredentialRequest, expected: ExpectedBinding): ProofResult | Promise<ProofResult> {
    const proof = readProof(request.headers?.dpop, this.#readHeader);
    if (typeof proof === 'string') return refused(proof);
    const jwk = this.#keyInHeader(proof.header);
    if (typeof jwk === 'string') return refused(jwk);
    const broken = this.#brokenClaim(proof.payload, request, expected.tokenHash);
    if (broken !== undefined) return refused(broken);
    if (expected.thumbprint !== undefined && jwk.thumbprint !== expected.thumbprint) {
      return refused('dpop_thumbprint', 'invalid_token');
    }
    const { nonces } = this.#rules;
    const nonceState = nonces?.judge(own(proof.payload, 'nonce'));
    if (nonceState === 'refused') return refused('dpop_nonce', 'use_dpop_nonce', nonces?.issue());

    const key = this.#keys.import(jwk);
    if (key === undefined) return refused('dpop_jwk');
    const proven: ProvenKey = {
      outcome: 'proven',
      thumbprint: jwk.thumbprint,
      nonce: nonceState === 'aging' ? nonces?.issue() : undefined,
    };
    const isSigned = verifySignature(proof, key, jwk.alg);
    if (isSigned === false) return refused('dpop_signature');
    if (isSigned === true) return this.#useOnce(request, proof, proven);
    return isSigned.then((valid) => {
      if (!valid) return refused('dpop_signature');
      // The replay cache may have forgotten the id if the proof has become too old in the meantime.
      return this.#isRecent(proof.payload) ? this.#useOnce(request, proof, proven) : refused('dpop_iat');
    });
  }

  /** Returns the key in the header of a proof, or the rule that the header breaks. */
  #keyInHeader(header: JsonObject): ProofJwk | string {
    const known = this.#jwks.get(header);
    if (known !== undefined) return known;
    const alg = own(header, 'alg');
    if (mediaType(own(header, 'typ')) !== 'dpop+jwt') return 'dpop_typ';
    if (typeof alg !== 'string' || !this.#rules.algorithms.includes(alg)) return 'dpop_alg';
    if (REFUSED_MEMBERS.some((name) => Object.hasOwn(header, name))) return 'dpop_header_member';
    const jwk = readProofJwk(own(header, 'jwk'), alg);
    if (jwk === undefined) return 'dpop_jwk';
    this.#jwks.set(header, jwk);
    return jwk;
  }

  /** Returns the first rule that the claims break. */
  #brokenClaim(claims: JsonObject, request: CredentialRequest, tokenHash: string | undefined): string | undefined {
    if (own(claims, 'htm') !== request.method) return 'dpop_htm';
    if (!this.#isTarget(own(claims, 'htu'), request)) return 'dpop_htu';
    if (!this.#isRecent(claims)) return 'dpop_iat';
    const jti = own(claims, 'jti');
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return 'dpop_jti';
    if (tokenHash !== undefined && own(claims, 'ath') !== tokenHash) return 'dpop_ath';
    return undefined;
  }

  #isRecent(claims: JsonObject): boolean {
    const seconds = this.#rules.clock.now() / 1_000;
    const iat = own(claims, 'iat');
    return typeof iat === 'number' && iat >= seconds - this.#rules.maxAge && iat <= seconds + TOLERANCE;
  }

  /**
   * Whether a proof is for the URL of the request (RFC 9449 section 4.3, number 9). `Host` and forwarded fields are
   * ignored: an attacker could set them to the URL of a stolen proof.
   */
  #isTarget(htu: unknown, { originalUrl, url = '' }: CredentialRequest): boolean {
    if (typeof htu !== 'string') return false;
    const path = requestPath(originalUrl ?? url);
    if (!path.startsWith('/')) return false;
    const { origins } = this.#rules;
    if (origins.some((origin) => htu.length === origin.length + path.length && htu === origin + path)) return true;
    const [named, asked] = [normalizeUri(htu), normalizePath(path)];
    return origins.some((origin) => named === origin + asked);
  }

  #useOnce(request: CredentialRequest, { payload }: CompactJws, proven: ProvenKey): ProofResult | Promise<ProofResult> {
    // The id is stored until every server with the same `maxAge` refuses the proof as too old, even a server whose clock
    // is behind.
    const seconds = this.#rules.maxAge + 2 * TOLERANCE;
    const id = this.#rules.replayIdOf(proven.thumbprint, String(own(payload, 'jti')));
    const use = this.#replayCheck.use(request, id, seconds);
    if (use instanceof Promise) return use.then((settled) => resultOf(settled, proven));
    return resultOf(use, proven);
  }
}

function resultOf(use: 'first' | 'used' | 'unavailable', proven: ProvenKey): ProofResult {
  if (use === 'first') return proven;
  return use === 'used' ? refused('dpop_replayed') : { outcome: 'unavailable', reason: 'replay_cache' };
}

/**
 * Reads the proof from the field `DPoP` (RFC 9449 section 4.3, numbers 1 and 2). Node joins several `DPoP` fields with
 * commas. No valid proof contains a comma, so such a request is refused.
 */
function readProof(field: unknown, readHeader: ReadJoseHeader): CompactJws | string {
  if (field === undefined || field === '') return 'dpop_missing';
  if (typeof field !== 'string' || field.length > MAX_PROOF_LENGTH) return 'dpop_malformed';
  return readCompactJws(field, readHeader) ?? 'dpop_malformed';
}

function refused(reason: string, code: RefusedProof['code'] = 'invalid_dpop_proof', nonce?: string): RefusedProof {
  return { outcome: 'refused', code, reason, nonce };
}
