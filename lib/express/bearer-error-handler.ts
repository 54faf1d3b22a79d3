import { IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type OptionTable, oneOf, readTable, withDefault } from '../options/option-table.js';
import { isOauthError } from '../protocol/bearer-error-codes.js';
import { BearerError } from './bearer-error.js';
import { mark } from './route-metadata.js';

/** Options of `bearerErrors`. */
export interface BearerErrorsOptions {
  /**
   * The format of the body. `'oauth'` (default): `{ error, error_description }`. `'problem'`: an RFC 9457 problem with
   * the type `application/problem+json`.
   */
  readonly format?: 'oauth' | 'problem' | undefined;
}

const OPTIONS = {
  format: withDefault(oneOf(['oauth', 'problem']), 'oauth'),
} satisfies OptionTable<BearerErrorsOptions>;

/** An error handler for Express. */
export type ErrorMiddleware = (
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Makes the error handler that answers the requests which a gate or a guard of keyward refused. It writes the
 * `BearerError` as JSON, and passes every other error to the next error handler. Mount it after the routes.
 *
 * @throws TypeError for an option that is unknown or of the wrong type, and for a request: then the parentheses are
 *   missing.
 * @example
 * ```ts
 * import express from 'express';
 * import { bearerErrors } from 'keyward';
 *
 * const app = express();
 * app.use(bearerErrors({ format: 'problem' }));
 * ```
 */
export function bearerErrors(options: BearerErrorsOptions = {}): ErrorMiddleware {
  // With `app.use(bearerErrors)`, Express would call it for each request.
  if (options instanceof IncomingMessage) {
    throw new TypeError('bearerErrors: expected options, got a request; call it in app.use(bearerErrors())');
  }
  const { format } = readTable('bearerErrors', options, OPTIONS);
  const [contentType, bodyOf] =
    format === 'oauth' ? ['application/json', oauthBody] : ['application/problem+json', problemBody];

  // Express recognizes an error handler by its four parameters.
  const bearerErrorHandler: ErrorMiddleware = (error, _req, res, next) => {
    if (!(error instanceof BearerError) || res.headersSent) {
      next(error);
      return;
    }
    const body = JSON.stringify(bodyOf(error));
    res.statusCode = error.status;
    for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
    res.setHeader('Content-Type', contentType);
    res.setHeader('Content-Length', Buffer.byteLength(body));
    res.end(body);
  };
  return mark(bearerErrorHandler, 'keyward.bearerErrors', NO_FACTS);
}

const NO_FACTS = Object.freeze({});

/**
 * OAuth defines no error code for a missing credential and for the statuses 429 and 503. For these errors, the body has
 * only the description.
 */
function oauthBody({ code, message }: BearerError): object {
  return isOauthError(code) ? { error: code, error_description: message } : { error_description: message };
}

/** A problem of the type `about:blank` has the phrase of its HTTP status as the title (RFC 9457 section 4.2.1). */
function problemBody({ code, message, status }: BearerError): object {
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, code };
}
