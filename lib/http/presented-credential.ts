import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type CredentialScheme, isB64token } from '../protocol/authorization-header.js';
import { type CompactJws, type ReadJoseHeader, readCompactJws } from '../protocol/compact-jws.js';
import { own } from '../protocol/strict-json.js';
import { clientNetwork } from './client-network.js';

/** Where a request comes from. Express sets `ip`, and Node sets `socket`. */
export interface Sender {
  /** The address, from Express. Behind a proxy, it depends on `trust proxy`. */
  readonly ip?: string | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}

/**
 * The parts of a request that a verifier reads besides the credential: where the request comes from, and what a proof
 * of possession must match.
 */
export interface CredentialRequest extends Sender {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The path and query as the client sent them, set by Express. Routers shorten `url`, but not this property. */
  readonly originalUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Returns the certificate that the client presented, in DER form; `undefined` if it presented none. */
export type CertificateOf = (req: IncomingMessage) => Buffer | undefined;

/**
 * The credential that a client has presented in a request. Its hash and its JWS are computed only once, when they are
 * first needed. Printing the object does not print the credential.
 */
export class PresentedCredential {
  readonly #text: string;
  readonly #sender: CredentialRequest | undefined;
  readonly #readJoseHeader: ReadJoseHeader | undefined;
  /** The scheme of the `Authorization` field. */
  readonly scheme: CredentialScheme;
  #cacheKey: string | undefined;
  #jws: CompactJws | null | undefined;

  /**
   * Creates the credential of a request.
   *
   * @param text - The whole credential, without its scheme.
   * @param sender - The request that contains the credential.
   * @param readJoseHeader - Reads the header of a JWS from a cache. Without this function, the header is parsed. It is
   *   a parameter, because files in `http` must not import `cache`.
   * @param scheme - The scheme of the `Authorization` field.
   */
  constructor(
    text: string,
    sender?: CredentialRequest,
    readJoseHeader?: ReadJoseHeader,
    scheme: CredentialScheme = 'Bearer',
  ) {
    this.#text = text;
    this.scheme = scheme;
    this.#sender = sender;
    this.#readJoseHeader = readJoseHeader;
  }

  /** The request that contains the credential, for proofs of possession; `undefined` if it is not known. */
  get request(): CredentialRequest | undefined {
    return this.#sender;
  }

  /** The IP address of the client that sent the request; `undefined` if it is not known. */
  get from(): string | undefined {
    return this.#sender?.ip ?? this.#sender?.socket?.remoteAddress;
  }

  /**
   * The network of the client that sent the request: an IPv4 address, or the /64 of an IPv6 address; `''` if it is not
   * known.
   */
  get network(): string {
    return clientNetwork(this.from);
  }

  /**
   * SHA-256 of the credential as a binary string, for the keys of caches. A binary string is half as long as a string
   * in hex, and is created twice as fast.
   */
  get cacheKey(): string {
    this.#cacheKey ??= hash('sha256', this.#text, 'binary');
    return this.#cacheKey;
  }

  /** SHA-256 of the credential in lowercase hex. */
  get digest(): string {
    return Buffer.from(this.cacheKey, 'latin1').toString('hex');
  }

  /**
   * Whether the credential has three parts with dots between them, as a JWS in compact serialization. Such a credential
   * is never looked up as an API key.
   */
  get isCompact(): boolean {
    const first = this.#text.indexOf('.');
    const second = first === -1 ? -1 : this.#text.indexOf('.', first + 1);
    return second !== -1 && this.#text.indexOf('.', second + 1) === -1;
  }

  /** The unverified header and claims of a well-formed JWS; `undefined` for other credentials. */
  get jws(): CompactJws | undefined {
    if (this.#jws === undefined) this.#jws = readCompactJws(this.#text, this.#readJoseHeader) ?? null;
    return this.#jws ?? undefined;
  }

  /**
   * Whether the credential is a b64token (RFC 6750 §2.1). A credential that was already parsed as a JWS is always a
   * b64token, so it is not checked again.
   */
  get isWellFormed(): boolean {
    return (this.#jws ?? undefined) !== undefined || isB64token(this.#text);
  }

  /** The unverified `iss` of a JWS. Use it only to decide which verifier to ask, because anyone can write any `iss`. */
  get issuer(): unknown {
    return this.jws === undefined ? undefined : own(this.jws.payload, 'iss');
  }

  /** Returns the credential itself. Do not log or store it. */
  reveal(): string {
    return this.#text;
  }
}
