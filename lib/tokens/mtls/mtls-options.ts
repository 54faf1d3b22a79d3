import type { CertificateOf } from '../../http/presented-credential.js';
import { flag, method, type OptionTable, optional, readTable } from '../../options/option-table.js';

/** Options for tokens that are bound to the certificate of a client (RFC 8705 section 3). */
export interface MtlsOptions {
  /**
   * Returns the certificate that the client presented, in DER form, synchronously. Default: the certificate of the TLS
   * connection. Behind a proxy that ends TLS, read the header field that the proxy sets. Do this only if no client can
   * reach the API without the proxy, because such a client could forge the field. If the function throws, or returns
   * anything but bytes, `undefined` or `null`, the request gets 503. It is called only for a token that is bound to a
   * certificate.
   */
  readonly certificateOf?: CertificateOf | undefined;
  /**
   * `true`: tokens that are not bound to a certificate are refused. If `required` of `dpop` is `true` too, a token may
   * be bound to a key pair instead. Default: `false`.
   */
  readonly required?: boolean | undefined;
}

/** The certificate settings of a verifier of access tokens. */
export interface Mtls {
  readonly certificateOf: CertificateOf | undefined;
  readonly required: boolean;
}

const OPTIONS = {
  certificateOf: optional(method<CertificateOf>()),
  required: flag(false),
} satisfies OptionTable<MtlsOptions>;

/** Reads the option `mtls` of a verifier of access tokens. */
export function readMtlsOptions(factory: string, given: unknown): Mtls {
  return readTable(`${factory}: option "mtls"`, given, OPTIONS);
}
