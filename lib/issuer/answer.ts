import type { ServerResponse } from 'node:http';
import { TOKEN_ERRORS } from '../protocol/token-error.js';
import type { TokenRefusal } from './token-refusal.js';

/** What every answer of the token endpoint says: no cache may keep it (RFC 6749 §5.1). */
const NO_STORE = Object.freeze({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });

/** Writes a token response, or a refusal. */
export function answer(
  res: ServerResponse,
  status: number,
  body: object,
  headers?: Readonly<Record<string, string>>,
): void {
  writeJson(res, status, body, headers === undefined ? NO_STORE : { ...NO_STORE, ...headers });
}

/**
 * Writes a refusal (RFC 6749 §5.2).
 *
 * @param challenge - A `WWW-Authenticate` value, where the client is to be asked for its credentials.
 */
export function answerRefusal(res: ServerResponse, refusal: TokenRefusal, challenge?: string): void {
  const { code, status, headers } = refusal;
  const { description } = TOKEN_ERRORS[code];
  const body = description === undefined ? { error: code } : { error: code, error_description: description };
  answer(res, status, body, challenge === undefined ? headers : { ...headers, 'WWW-Authenticate': challenge });
}

/** Writes a document that caches may keep. */
export function publish(res: ServerResponse, document: object, cacheControl: string): void {
  writeJson(res, 200, document, { 'Cache-Control': cacheControl });
}

function writeJson(res: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>>): void {
  // The host app may have answered in the meantime, by a time-out of its own.
  if (res.headersSent) return;
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json;charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}
