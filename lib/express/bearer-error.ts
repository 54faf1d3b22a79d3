import { BEARER_ERRORS, type BearerErrorCode } from '../protocol/oauth-error.js';

/**
 * A refusal, as it comes to an error handler. Nothing on it tells the cause, and nothing comes from the request.
 */
export class BearerError extends Error {
  override readonly name = 'BearerError';
  readonly code: BearerErrorCode;
  readonly status: number;
  /** The same as `status`, by the name that some handlers read. */
  readonly statusCode: number;
  /** The headers of the answer. They are on the response already; Express's own handler reads them here. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the message may be shown: below 500 it may. */
  readonly expose: boolean;
  /** The scopes that the route needs, where scopes were asked. */
  readonly scopes: readonly string[] | undefined;

  constructor(code: BearerErrorCode, headers: Readonly<Record<string, string>>, scopes: readonly string[] | undefined) {
    const { status, description } = BEARER_ERRORS[code];
    super(description);
    this.code = code;
    this.status = status;
    this.statusCode = status;
    this.headers = headers;
    this.expose = status < 500;
    this.scopes = scopes;
  }
}
