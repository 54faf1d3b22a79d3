/** Cuts a credential out of a text that may quote it, such as the message of an error. */

/** A piece of a credential this long tells something of it. */
const PIECE = 12;

/** RFC 6750 §2.1, b64token: what a credential, and its base64, is made of. Most texts have no such run of them. */
const RUNS = /[\w.~+/=-]{12,}/g;

const MARK = '[credential]';

/**
 * Replaces a credential, and each piece of it of 12 characters or more: as it is or in other case, in hex, and in
 * base64 or base64url, alone or behind other bytes, as where a whole field `Bearer ...` was encoded.
 */
export function redacted(text: string, credential: string): string {
  let forms: readonly string[] | undefined;
  return text.replaceAll(credential, MARK).replaceAll(RUNS, (run) => {
    forms ??= formsOf(credential);
    return withoutPieces(run, forms);
  });
}

function formsOf(credential: string): readonly string[] {
  const hex = Buffer.from(credential).toString('hex');
  return [credential, hex, ...[0, 1, 2].map((shift) => base64Of(credential, shift))].map(folded);
}

/** Base64url of a credential behind so many other bytes, less the characters that these have a part in. */
function base64Of(credential: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(credential)]);
  return bytes.toString('base64url').slice(Math.ceil((shift * 8) / 6));
}

/** Makes one of both cases, and of both alphabets of base64; every character stays in its place. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('+', '-').replaceAll('/', '_');
}

function withoutPieces(run: string, forms: readonly string[]): string {
  const searched = folded(run);
  let kept = '';
  for (let at = 0; at < run.length; ) {
    const quoted = Math.max(...forms.map((form) => quotedAt(searched, at, form)));
    kept += quoted === 0 ? run.charAt(at) : MARK;
    at += quoted || 1;
  }
  return kept;
}

/** How many characters of a text, from a place in it, are a piece of a form. */
function quotedAt(text: string, at: number, form: string): number {
  let end = at + PIECE;
  if (end > text.length || !form.includes(text.slice(at, end))) return 0;
  while (end < text.length && form.includes(text.slice(at, end + 1))) end += 1;
  return end - at;
}
