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
  headers: Readonly<Record<string, string>> = {},
): void {
  writeJson(res, status, body, { ...NO_STORE, ...headers });
}

/** Writes a refusal (RFC 6749 §5.2). */
export function answerRefusal(res: ServerResponse, { code, status, headers }: TokenRefusal): void {
  const { description } = TOKEN_ERRORS[code];
  const body = description === undefined ? { error: code } : { error: code, error_description: description };
  answer(res, status, body, headers);
}

/** Writes a document that caches may keep. */
export function publish(res: ServerResponse, document: object, cacheControl: string): void {
  writeJson(res, 200, document, { 'Cache-Control': cacheControl });
}

function writeJson(res: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>>): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json;charset=UTF-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.end(text);
}
