import { digestOf } from '../credentials/digest.js';
import { type CompactJws, readCompactJws } from '../protocol/compact-jws.js';
import { own } from '../protocol/json-object.js';

/** A piece of a credential this long tells something of it. */
const PIECE = 12;

/** What a request presented. It works out each thing once, when asked, and prints without the credential. */
export class PresentedCredential {
  readonly #text: string;
  #digest: string | undefined;
  #jws: CompactJws | null | undefined;

  /** @param text - The whole credential, without its scheme. */
  constructor(text: string) {
    this.#text = text;
  }

  /** SHA-256 of the credential, lower-case hex. */
  get digest(): string {
    this.#digest ??= digestOf(this.#text);
    return this.#digest;
  }

  /** Whether it has the shape of a JWS in compact serialisation: three parts. No API key is looked up for one. */
  get isCompact(): boolean {
    const first = this.#text.indexOf('.');
    const second = first === -1 ? -1 : this.#text.indexOf('.', first + 1);
    return second !== -1 && this.#text.indexOf('.', second + 1) === -1;
  }

  /** Header and claims of a JWS that keeps the rules of its text, unverified; `undefined` where it does not. */
  get jws(): CompactJws | undefined {
    if (this.#jws === undefined) this.#jws = readCompactJws(this.#text) ?? null;
    return this.#jws ?? undefined;
  }

  /** The `iss` of a JWS, unverified: it may decide which verifier is asked, and nothing else. */
  get issuer(): unknown {
    return this.jws === undefined ? undefined : own(this.jws.payload, 'iss');
  }

  /** Cuts the credential, whole or in pieces, out of a text that may quote it, such as the message of an error. */
  redact(text: string): string {
    const told = text.replaceAll(this.#text, '[credential]').replaceAll(this.digest, this.digest.slice(0, 8));
    let kept = '';
    for (let at = 0; at < told.length; ) {
      const quoted = quotedAt(told, at, this.#text);
      kept += quoted === 0 ? told.charAt(at) : '[credential]';
      at += quoted || 1;
    }
    return kept;
  }

  /** The credential itself. Do not log it, and do not keep it. */
  reveal(): string {
    return this.#text;
  }
}

/** How many characters of a text, from a place in it, are a piece of the credential. */
function quotedAt(text: string, at: number, credential: string): number {
  let end = at + PIECE;
  if (end > text.length || !credential.includes(text.slice(at, end))) return 0;
  while (end < text.length && credential.includes(text.slice(at, end + 1))) end += 1;
  return end - at;
}
