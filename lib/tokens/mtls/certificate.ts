/**
 * Finds the certificate that a client presented, and compares it with the certificate to which the token is bound (RFC
 * 8705 section 3).
 */
import { hash } from 'node:crypto';
import { ignoreRejection } from '../../events/run-callback.js';
import type { CertificateOf, CredentialRequest } from '../../http/presented-credential.js';

interface TlsSocket {
  getPeerX509Certificate?(): { readonly raw: Buffer } | undefined;
}

/**
 * The result of `judgeCertificate`. `proven`: the client presented the certificate to which the token is bound.
 * `other`: it presented another certificate. `absent`: it presented none. `unreadable`: `certificateOf` threw, or
 * returned a value other than non-empty bytes, `undefined` or `null`.
 */
export type CertificateState = 'proven' | 'absent' | 'other' | 'unreadable';

/**
 * Compares the certificate that the client presented with the certificate to which the token is bound. The result is
 * not stored for the connection, because with TLS 1.2 a client can change its certificate on an open connection.
 *
 * @param thumbprint - The `x5t#S256` of the token.
 */
export function judgeCertificate(
  request: CredentialRequest,
  thumbprint: string,
  certificateOf: CertificateOf | undefined,
): CertificateState {
  const certificate = certificateThumbprint(request, certificateOf);
  if (certificate === undefined) return 'absent';
  if (certificate === 'unreadable') return certificate;
  return certificate === thumbprint ? 'proven' : 'other';
}

/**
 * Returns the thumbprint of the certificate of a request (RFC 8705 section 3.1): SHA-256 of its DER form, in base64url.
 *
 * @param certificateOf - Finds the certificate. Default: the certificate of the TLS connection.
 * @returns `undefined` if the client presented none; `'unreadable'` if `certificateOf` throws, or returns something
 *   other than non-empty bytes.
 */
export function certificateThumbprint(
  request: CredentialRequest,
  certificateOf: CertificateOf = connectionCertificate,
): string | 'unreadable' | undefined {
  try {
    const der: unknown = certificateOf(request as never);
    if (der === undefined || der === null) return undefined;
    if (der instanceof Uint8Array && der.length > 0) return hash('sha256', der, 'base64url');
    ignoreRejection(der);
    return 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Returns the certificate of the TLS connection of a request, in DER form. */
export function connectionCertificate(request: CredentialRequest): Buffer | undefined {
  return (request.socket as TlsSocket | undefined)?.getPeerX509Certificate?.()?.raw;
}
