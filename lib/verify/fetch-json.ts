/** A bounded GET of a JSON document. */
import { types } from 'node:util';

/** A document that was not had. The message says why, without the URL. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault';
}

const MAX_BYTES = 256 * 1_024;

/**
 * Fetches a JSON document: 200 or nothing, 256 KiB at most (decoded), and no redirect, since whoever can redirect
 * could choose the keys.
 *
 * @throws FetchFault
 */
export async function fetchJson(url: URL, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new FetchFault(`status ${response.status}`);
    }
    return JSON.parse(await boundedText(response));
  } catch (error) {
    throw error instanceof FetchFault ? error : new FetchFault(reasonOf(error));
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new FetchFault(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  if (!types.isNativeError(error) && !(error instanceof DOMException)) return 'failed';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timed out';
  if (error.name === 'SyntaxError') return 'no JSON';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'failed';
}
