import type { ServerResponse } from 'node:http';
import { TOKEN_ERRORS } from '../protocol/token-error-codes.js';
import type { TokenRequestError } from './token-request-error.js';

/**
 * Headers for all responses except the metadata and the key set. These responses may contain a token, so caches must
 * not store them (RFC 6749 §5.1).
 */
const NO_STORE = Object.freeze({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });

/** Writes a response that must not be cached, such as a token, the state of a token, or an error. */
export function answer(
  res: ServerResponse,
  status: number,
  body: object,
  headers?: Readonly<Record<string, string>>,
): void {
  writeJson(res, status, body, { ...NO_STORE, ...headers });
}

/**
 * Writes an error response (RFC 6749 §5.2).
 *
 * @param challenge - The value of the header `WWW-Authenticate`; without it, the response has no such header.
 */
export function answerRefusal(res: ServerResponse, refusal: TokenRequestError, challenge?: string): void {
  const { code, status, headers } = refusal;
  // `JSON.stringify` leaves out a description that is `undefined`.
  const body = { error: code, error_description: TOKEN_ERRORS[code].description };
  answer(res, status, body, challenge === undefined ? headers : { ...headers, 'WWW-Authenticate': challenge });
}

/** Writes a public document that may be cached: the metadata, or the key set. */
export function publish(res: ServerResponse, document: object, cacheControl: string): void {
  writeJson(res, 200, document, { 'Cache-Control': cacheControl });
}

function writeJson(res: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>>): void {
  // The host app may have responded already, for example after its own timeout.
  if (res.headersSent) return;
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json;charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}
