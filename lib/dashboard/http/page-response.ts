/** The response that a page returns, and the function that sends it. */
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

/** Redirects after a form was accepted, so that a reload does not send the form again. */
export function seeOther(location: string): PageResponse {
  return { status: 303, headers: { Location: location }, body: '' };
}

/**
 * Sends a response. If the body is a stream and fails, `pipeline` closes the connection. Otherwise, the browser would
 * save the part that it received as a complete file.
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
