/**
 * Reads the list of revoked tokens in the record of an access key. The list names single tokens; `tokensNotBefore`
 * revokes all tokens that were issued before a time.
 */
import { RecordError } from './record-error.js';

/** Tells whether the token with a `jti` was revoked. A `Set` of `jti` implements this interface. */
export interface RevokedTokens {
  has(jti: string): boolean;
}

/** Maximum number of revoked tokens in the record of one access key. Tokens that have expired need not be listed. */
export const MAX_REVOKED_TOKENS = 100_000;

/**
 * Reads the revoked tokens of a record.
 *
 * @throws RecordError if the value is neither a list of at most 100,000 strings nor an object with `has`.
 */
export function readRevokedTokens(field: string, value: unknown): RevokedTokens {
  if (Array.isArray(value)) {
    const isList = value.length <= MAX_REVOKED_TOKENS && value.every((jti) => typeof jti === 'string');
    if (isList) return new Set<string>(value);
  } else if (typeof value === 'object' && value !== null && 'has' in value && typeof value.has === 'function') {
    return value as RevokedTokens;
  }
  throw new RecordError(`${field}: expected a list of at most ${MAX_REVOKED_TOKENS} strings, or a Set`);
}
