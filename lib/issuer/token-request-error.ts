import { RefusalError } from '../errors/refusal-error.js';
import { TOKEN_ERRORS, type TokenErrorCode } from '../protocol/token-error-codes.js';

/**
 * Thrown to refuse a request to the token, introspection or revocation endpoint. The client gets the error code and its
 * fixed description, never the reason.
 */
export class TokenRequestError extends RefusalError {
  override readonly name = 'TokenRequestError';
  declare readonly code: TokenErrorCode;
  declare readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The reason for the refusal. It is published in events, but never sent to the client. */
  readonly reason: string;

  /** @param status - The HTTP status, if it is not the default status of the error code. */
  constructor(
    code: TokenErrorCode,
    reason: string,
    { status = TOKEN_ERRORS[code].status, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(code, reason, { status });
    this.reason = reason;
    this.headers = Object.freeze(headers);
  }
}

/** The headers for `temporarily_unavailable`: they ask the client to retry after one second. */
export const RETRY_SOON = Object.freeze({ headers: { 'Retry-After': '1' } });

/** Returns the error for an issuer that has no key to sign with or to publish. */
export function noSigningKey(): TokenRequestError {
  return new TokenRequestError('temporarily_unavailable', 'no_signing_key', RETRY_SOON);
}
