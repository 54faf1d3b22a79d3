/**
 * Binds access tokens to a key of the client, which the client proves with a DPoP proof (RFC 9449 §5) or with its TLS
 * certificate (RFC 8705 §3).
 */
import type { AccessKeyClient } from '../credentials/records/access-key-client.js';
import type { CertificateOf } from '../http/presented-credential.js';
import type { ProofVerifier } from '../tokens/dpop/proof-verifier.js';
import { certificateThumbprint } from '../tokens/mtls/certificate.js';
import type { ClientHttpRequest } from './clients/authenticate-request.js';
import { RETRY_SOON, TokenRequestError } from './token-request-error.js';

/**
 * The claim `cnf` of a token (RFC 7800 §3.1). `jkt` is the thumbprint of a DPoP key, and `x5t#S256` is the thumbprint
 * of a client certificate. The token does not contain a member that is `undefined`.
 */
export interface CnfClaim {
  readonly jkt: string | undefined;
  readonly 'x5t#S256': string | undefined;
}

export interface SenderConstraint {
  /** The key and the certificate to which the token is bound; `undefined` for a token that is not bound. */
  readonly cnf: CnfClaim | undefined;
  /** The value of the response header `DPoP-Nonce`; `undefined` if the client needs no new nonce. */
  readonly nonce: string | undefined;
}

export interface SenderConstraints {
  /**
   * The path of the token endpoint in the URL that clients use. The `htu` of a proof is compared with this path,
   * because a proxy may change the path of the request.
   */
  readonly path: string;
  /** Verifies DPoP proofs; if `undefined`, proofs are ignored. */
  readonly proofs: ProofVerifier | undefined;
  /** Finds client certificates; if `undefined`, certificates are ignored. */
  readonly mtls: { readonly certificateOf: CertificateOf | undefined } | undefined;
}

/**
 * Returns the claim `cnf` with the key and the certificate to which the token of a request must be bound, if any; and
 * the new DPoP nonce for the client, if it needs one. To refuse the request, it throws a `TokenRequestError`.
 */
export type ConstrainSender = (req: ClientHttpRequest, accessKey: AccessKeyClient) => Promise<SenderConstraint>;

const UNBOUND: SenderConstraint = Object.freeze({ cnf: undefined, nonce: undefined });

export function senderConstraints({ path, proofs, mtls }: SenderConstraints): ConstrainSender {
  return async function constrainSender(req, accessKey) {
    const certificate = mtls && certificateOf(req, mtls.certificateOf);
    const proven = proofs !== undefined && req.headers.dpop !== undefined ? await proofOf(req, proofs) : undefined;
    const jkt = proven?.thumbprint;
    assertConfirmed(accessKey, jkt, certificate);
    if (jkt === undefined && certificate === undefined) return UNBOUND;
    return { cnf: { jkt, 'x5t#S256': certificate }, nonce: proven?.nonce };
  };

  async function proofOf({ method, headers }: ClientHttpRequest, verifier: ProofVerifier) {
    const target = { method, headers, originalUrl: path };
    const result = await verifier.verify(target, { tokenHash: undefined, thumbprint: undefined });
    if (result.outcome === 'proven') return result;
    if (result.outcome === 'unavailable')
      throw new TokenRequestError('temporarily_unavailable', 'replay_cache', RETRY_SOON);
    const headersOfNonce = result.nonce === undefined ? {} : { 'DPoP-Nonce': result.nonce };
    const code = result.code === 'use_dpop_nonce' ? result.code : 'invalid_dpop_proof';
    throw new TokenRequestError(code, result.reason, { headers: headersOfNonce });
  }
}

function certificateOf(req: ClientHttpRequest, find: CertificateOf | undefined): string | undefined {
  const thumbprint = certificateThumbprint(req, find);
  if (thumbprint !== 'unreadable') return thumbprint;
  throw new TokenRequestError('temporarily_unavailable', 'certificate', RETRY_SOON);
}

/**
 * Refuses a request without the DPoP proof or the client certificate that the access key requires. An attacker who has
 * only a stolen secret then obtains no token.
 */
function assertConfirmed(
  { requireConfirmation }: AccessKeyClient,
  jkt: string | undefined,
  certificate: string | undefined,
): void {
  if (requireConfirmation === undefined) return;
  const isConfirmed = {
    dpop: jkt !== undefined,
    mtls: certificate !== undefined,
    any: jkt !== undefined || certificate !== undefined,
  };
  if (isConfirmed[requireConfirmation === true ? 'any' : requireConfirmation]) return;
  throw new TokenRequestError('invalid_client', 'confirmation_required', { status: 400 });
}
