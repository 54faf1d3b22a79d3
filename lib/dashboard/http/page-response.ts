/** The response that a page makes, and how it is sent. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { types } from 'node:util';
import type { Html } from '../components/html.js';

export interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

export function htmlResponse(status: number, page: Html, headers: Readonly<Record<string, string>> = {}): PageResponse {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body: page.text };
}

/** Redirects after a form was accepted, so that a reload does not send it again. */
export function seeOther(location: string): PageResponse {
  return { status: 303, headers: { Location: location }, body: '' };
}

/**
 * Sends a response. If its body is a stream that fails, `pipeline` closes the connection, so that the browser does not
 * treat the part that it received as a complete file.
 */
export async function sendResponse(res: ServerResponse, { status, headers, body }: PageResponse): Promise<void> {
  // The host app may have responded in the meantime, for example because of a time limit.
  if (res.headersSent) return;
  if (typeof body === 'string') {
    res.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers });
    res.end(body);
    return;
  }
  res.writeHead(status, headers);
  if (res.req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(body), res);
  } catch (error) {
    // A client that closes the connection is not an error.
    if (!isClosedByClient(error)) throw error;
  }
}

function isClosedByClient(error: unknown): boolean {
  return types.isNativeError(error) && (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
