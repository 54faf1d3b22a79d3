/** Makes a test client with a TLS certificate, and tokens that are bound to the certificate (RFC 8705 section 3). */
import { X509Certificate } from 'node:crypto';
import type { CredentialRequest } from '../http/presented-credential.js';
import { connectionCertificate } from '../tokens/mtls/certificate.js';
import type { MtlsOptions } from '../tokens/mtls/mtls-options.js';
import type { TokenTraits } from './credential-traits.js';
import { selfSigned } from './self-signed.js';

/** The result of `kit.certificate()`. */
export interface TestCertificate {
  /** The claim `cnf` of tokens that are bound to the certificate. */
  readonly confirmation: { readonly 'x5t#S256': string };
  /**
   * The certificate as the value of the header `Client-Cert` (RFC 9440 section 2.2), for tests without TLS. The kit
   * ignores the header if the TLS connection has a certificate, or if its option `mtls` has `certificateOf`.
   */
  readonly field: string;
  /** The certificate in PEM: `cert` of a TLS client. */
  readonly certificate: string;
  /** Its private key in PEM: `key` of a TLS client. */
  readonly privateKey: string;
  /** Signs an access token that is bound to the certificate. It rejects with a TypeError for invalid traits. */
  token(traits?: TokenTraits): Promise<string>;
}

const FIELD = /^:([\w+/]+=*):$/;

/** @param mtls - The option `mtls` of the kit. */
export function testCertificate(
  mtls: MtlsOptions | undefined,
  accessToken: (traits: TokenTraits) => Promise<string>,
): TestCertificate {
  if (mtls === undefined) throw new TypeError('kit.certificate: set the option "mtls" of createTestKit first');
  const { key, cert } = selfSigned('client.keyward.test');
  const { raw, fingerprint256 } = new X509Certificate(cert);
  const thumbprint = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
  const confirmation = Object.freeze({ 'x5t#S256': thumbprint });
  return Object.freeze({
    ...{ confirmation, field: `:${raw.toString('base64')}:`, certificate: cert, privateKey: key },
    token: (traits: TokenTraits = {}) => accessToken({ ...traits, claims: { cnf: confirmation, ...traits.claims } }),
  });
}

/**
 * Returns the certificate of the TLS connection of a request. If there is none, it returns the certificate in the
 * header `Client-Cert`, so that tests need no TLS.
 */
export function testCertificateOf(request: CredentialRequest): Buffer | undefined {
  const [, base64] = FIELD.exec(String(request.headers?.['client-cert'])) ?? [];
  return connectionCertificate(request) ?? (base64 === undefined ? undefined : Buffer.from(base64, 'base64'));
}
