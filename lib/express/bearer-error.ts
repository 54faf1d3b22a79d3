import { RefusalError } from '../errors/refusal-error.js';
import { BEARER_ERRORS, type BearerErrorCode } from '../protocol/bearer-error-codes.js';

/**
 * The error that an error handler of the app gets for a refused request. It contains neither the cause of the refusal
 * nor anything that the request contained, so it is safe to log.
 *
 * @example
 * ```ts
 * import type { ErrorRequestHandler } from 'express';
 * import { BearerError } from 'keyward';
 *
 * const onError: ErrorRequestHandler = (error, _req, res, next) => {
 *   if (!(error instanceof BearerError)) return void next(error);
 *   res.status(error.status).set(error.headers).json({ error: error.code });
 * };
 * ```
 */
export class BearerError extends RefusalError {
  override readonly name = 'BearerError';
  declare readonly code: BearerErrorCode;
  declare readonly status: number;
  /** The same as `status`, under the name that some error handlers read. */
  readonly statusCode: number;
  /** The headers of the response. They are already set; the default handler of Express reads them here. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client may see the message: `true` for a status below 500. */
  readonly expose: boolean;
  /** The scopes that the route needs, if scopes were checked. */
  readonly scopes: readonly string[] | undefined;

  constructor(
    code: BearerErrorCode,
    headers: Readonly<Record<string, string>>,
    scopes: readonly string[] | undefined,
    description: string = BEARER_ERRORS[code].description,
  ) {
    const { status } = BEARER_ERRORS[code];
    super(code, description, { status });
    this.statusCode = status;
    this.headers = headers;
    this.expose = status < 500;
    this.scopes = scopes;
  }
}
