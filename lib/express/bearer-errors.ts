import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { Options } from '../options/options.js';
import { isOauthError } from '../protocol/oauth-error.js';
import { BearerError } from './bearer-error.js';

/** Options of `bearerErrors`. */
export interface BearerErrorsOptions {
  /** `'oauth'`: `{ error, error_description }`. `'problem'`: RFC 9457, `application/problem+json`. */
  readonly format?: 'oauth' | 'problem' | undefined;
}

/** An error handler for Express. */
export type ErrorMiddleware = (
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Makes the error handler that writes keyward's refusals as JSON. Mount it after the routes. Errors that are not
 * keyward's go on to the next handler.
 *
 * @throws TypeError for an option that is unknown or of the wrong type.
 */
export function bearerErrors(options: BearerErrorsOptions = {}): ErrorMiddleware {
  const checked = new Options('bearerErrors', options, ['format']);
  const format = checked.has('format') ? checked.oneOf('format', ['oauth', 'problem']) : 'oauth';
  const [contentType, bodyOf] =
    format === 'oauth' ? ['application/json', oauthBody] : ['application/problem+json', problemBody];

  // Express tells an error handler by its four parameters.
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
  return Object.freeze(Object.defineProperty(bearerErrorHandler, BEARER_ERRORS_HANDLER, { value: true }));
}

// Registered, so that an audit recognises the handlers of another copy of keyward.
const BEARER_ERRORS_HANDLER = Symbol.for('keyward.bearerErrors');

/** Whether a function is an error handler that `bearerErrors` made: one that lets no refused request go on. */
export function isBearerErrors(handle: unknown): boolean {
  return typeof handle === 'function' && Object.hasOwn(handle, BEARER_ERRORS_HANDLER);
}

/** RFC 6750 §3.1 knows no code for nothing presented, nor for 503: there the description stands alone. */
function oauthBody({ code, message }: BearerError): object {
  return isOauthError(code) ? { error: code, error_description: message } : { error_description: message };
}

/** RFC 9457 §3.1; without a type of its own the title is the phrase of the status. */
function problemBody({ code, message, status }: BearerError): object {
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, code };
}
