import { TOKEN_ERRORS, type TokenErrorCode } from '../protocol/token-error.js';

/** A token request that gets no token. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly code: TokenErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Why, for the operator alone. */
  readonly reason: string;

  /** @param status - Where HTTP has a finer one than the code's own. */
  constructor(
    code: TokenErrorCode,
    reason: string,
    { status = TOKEN_ERRORS[code].status, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(reason);
    this.code = code;
    this.reason = reason;
    this.status = status;
    this.headers = Object.freeze(headers);
  }
}

/** What is answered while there is no key to sign with, or to publish. */
export function noSigningKey(): TokenRefusal {
  return new TokenRefusal('temporarily_unavailable', 'no_signing_key', { headers: { 'Retry-After': '1' } });
}
