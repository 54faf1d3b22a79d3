/** Parses and joins scope-tokens and lists of them (RFC 6749 §3.3). */

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** The characters that a scope-token may have, in words for messages. */
export const SCOPE_CHARACTERS = 'ASCII characters other than spaces, double quotes and backslashes';

/** Checks whether a value is a `scope-token`. */
export function isScopeToken(text: unknown): text is string {
  return typeof text === 'string' && SCOPE_TOKEN.test(text);
}

/**
 * Parses a scope string: scope-tokens, separated by single spaces.
 *
 * @returns The tokens without duplicates, in the given order; an empty list for `''`; `undefined` if the string breaks
 *   the grammar.
 */
export function parseScope(text: string): readonly string[] | undefined {
  if (text === '') return [];
  const tokens = text.split(' ');
  return tokens.every(isScopeToken) ? [...new Set(tokens)] : undefined;
}

/** Joins scope-tokens to a scope string. */
export function formatScope(tokens: readonly string[]): string {
  return tokens.join(' ');
}
