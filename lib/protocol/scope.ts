/** Scope-tokens and lists of them (RFC 6749 §3.3). */

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Whether a text is one `scope-token`. */
export function isScopeToken(text: unknown): text is string {
  return typeof text === 'string' && SCOPE_TOKEN.test(text);
}

/**
 * Reads a scope text: scope-tokens, each a single space apart.
 *
 * @returns The tokens, each once, in the order given; none for `''`; `undefined` where the text breaks the grammar.
 */
export function parseScope(text: string): readonly string[] | undefined {
  if (text === '') return [];
  const tokens = text.split(' ');
  return tokens.every(isScopeToken) ? [...new Set(tokens)] : undefined;
}

/** Writes scope-tokens as one scope text. */
export function formatScope(tokens: readonly string[]): string {
  return tokens.join(' ');
}
