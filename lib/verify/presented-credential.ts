import { hash } from 'node:crypto';
import { type CompactJws, readCompactJws } from '../protocol/compact-jws.js';
import { own } from '../protocol/json-object.js';
import type { ReadHeader } from './header-reader.js';
import { redacted } from './redaction.js';

/** Who sent a request, as Node and Express know it. */
export interface Sender {
  /** Express's: behind a proxy, as its `trust proxy` says. */
  readonly ip?: string | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}

/** What a request presented. It works out each thing once, when asked, and prints without the credential. */
export class PresentedCredential {
  readonly #text: string;
  readonly #sender: Sender | undefined;
  readonly #readHeader: ReadHeader | undefined;
  #cacheKey: string | undefined;
  #jws: CompactJws | null | undefined;

  /**
   * @param text - The whole credential, without its scheme.
   * @param sender - The request that it came with.
   * @param readHeader - What reads the header, if it is a JWS; without it the header is parsed anew.
   */
  constructor(text: string, sender?: Sender, readHeader?: ReadHeader) {
    this.#text = text;
    this.#sender = sender;
    this.#readHeader = readHeader;
  }

  /** The address that it came from; `undefined` where nobody knows. */
  get from(): string | undefined {
    return this.#sender?.ip ?? this.#sender?.socket?.remoteAddress;
  }

  /** SHA-256 of the credential, a character a byte: what caches find it by. Half as long as hex, and made in half the time. */
  get cacheKey(): string {
    this.#cacheKey ??= hash('sha256', this.#text, 'binary');
    return this.#cacheKey;
  }

  /** SHA-256 of the credential, lower-case hex. */
  get digest(): string {
    return Buffer.from(this.cacheKey, 'latin1').toString('hex');
  }

  /** Whether it has the shape of a JWS in compact serialisation: three parts. No API key is looked up for one. */
  get isCompact(): boolean {
    const first = this.#text.indexOf('.');
    const second = first === -1 ? -1 : this.#text.indexOf('.', first + 1);
    return second !== -1 && this.#text.indexOf('.', second + 1) === -1;
  }

  /** Header and claims of a JWS that keeps the rules of its text, unverified; `undefined` where it does not. */
  get jws(): CompactJws | undefined {
    if (this.#jws === undefined) this.#jws = readCompactJws(this.#text, this.#readHeader) ?? null;
    return this.#jws ?? undefined;
  }

  /** The `iss` of a JWS, unverified: it may decide which verifier is asked, and nothing else. */
  get issuer(): unknown {
    return this.jws === undefined ? undefined : own(this.jws.payload, 'iss');
  }

  /** Cuts the credential, whole or in pieces, out of a text that may quote it, such as the message of an error. */
  redact(text: string): string {
    const { digest } = this;
    return redacted(text.replaceAll(new RegExp(digest, 'gi'), digest.slice(0, 8)), this.#text);
  }

  /** The credential itself. Do not log it, and do not keep it. */
  reveal(): string {
    return this.#text;
  }
}
