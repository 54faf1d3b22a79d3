/** Fetches JSON documents, up to a maximum size and within a time limit. */
import { types } from 'node:util';
import { KeywardError } from '../errors/keyward-error.js';
import { type JsonObject, parseJsonObject } from '../protocol/strict-json.js';
import { afterSocketReads } from './after-socket-reads.js';

/** Thrown if a document cannot be fetched. The message says why, and does not contain the URL. */
export class FetchError extends KeywardError {
  override readonly name = 'FetchError';

  constructor(message: string) {
    super('fetch_failed', message);
  }
}

const MAX_BYTES = 256 * 1_024;

/**
 * Returns a signal that aborts after a time. Unlike `AbortSignal.timeout`, it first lets Node read a response that has
 * already arrived.
 */
export function timeoutSignal(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  const late = AbortSignal.timeout(milliseconds);
  late.addEventListener('abort', () => afterSocketReads(() => controller.abort(late.reason)), { once: true });
  return controller.signal;
}

/**
 * Fetches a JSON document. The response must have status 200 and at most 256 KiB (decoded). A redirect is refused: an
 * attacker who can redirect the request could choose the document, such as the keys of an issuer.
 *
 * @param send - The function that sends the request.
 * @throws FetchError
 */
export async function fetchJson(url: URL, signal: AbortSignal, send = fetch): Promise<unknown> {
  return fetchOk(url, { signal, headers: { accept: 'application/json' } }, readJson, send);
}

/**
 * Posts a form, and returns the JSON object in the response. The rules of `fetchJson` apply to the response. An object
 * with a duplicate name is refused, because two parsers could read it differently.
 *
 * @throws FetchError
 */
export async function postForm(
  url: URL,
  headers: Headers,
  form: URLSearchParams,
  signal: AbortSignal,
): Promise<JsonObject> {
  headers.set('accept', 'application/json');
  return fetchOk(url, { method: 'POST', signal, headers, body: form }, async (response) => {
    const object = parseJsonObject(await boundedBytes(response));
    if (object === undefined) throw new FetchError('the response is not a JSON object');
    return object;
  });
}

async function fetchOk<T>(
  url: URL,
  init: RequestInit,
  read: (response: Response) => Promise<T>,
  send = fetch,
): Promise<T> {
  try {
    const response = await send(url, { ...init, redirect: 'manual' });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new FetchError(`the response has status ${response.status}`);
    }
    return await read(response);
  } catch (error) {
    throw error instanceof FetchError ? error : new FetchError(reasonOf(error));
  }
}

/**
 * Reads the JSON body of a response. The promise rejects if the body is longer than 256 KiB (decoded) or is not JSON.
 */
export async function readJson(response: Response): Promise<unknown> {
  return JSON.parse((await boundedBytes(response)).toString('utf8'));
}

async function boundedBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new FetchError(`the response is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  if (!types.isNativeError(error) && !(error instanceof DOMException)) return 'the request failed';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'the request timed out';
  if (error.name === 'SyntaxError') return 'the response is not JSON';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'the request failed';
}
