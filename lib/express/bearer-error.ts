import { RefusalError } from '../errors/refusal-error.js';
import { BEARER_ERRORS, type BearerErrorCode } from '../protocol/bearer-error-codes.js';

/**
 * The error that a gate or a guard passes to `next` when it refuses a request. It contains no part of the request, so
 * it is safe to log. It does not contain the exact reason, because the client may see the error.
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
  /** The same as `status`, for error handlers that read `statusCode`. */
  readonly statusCode: number;
  /**
   * The headers of the refusal, such as `WWW-Authenticate`. The response already has them. The default error handler of
   * Express sets them again from this property.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client may see the message: `true` for a status below 500. */
  readonly expose: boolean;
  /**
   * The scopes that the route requires, if the request was refused because it lacks a scope. `openApiGate` also sets
   * them for a 401, so that the challenge tells the client which scopes to request.
   */
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
