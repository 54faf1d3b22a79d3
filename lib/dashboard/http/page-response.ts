/** The answer of a page. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { types } from 'node:util';
import type { Html } from '../components/html.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

export function answerPage(status: number, page: Html, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body: page.text };
}

/** Redirects after a form was accepted, so that a reload does not send it again. */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { Location: location }, body: '' };
}

/** Writes an answer. If a stream fails, the connection is closed, so that a part of the file does not look complete. */
export async function sendAnswer(res: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  // The host app may have answered meanwhile, for example because of a time limit.
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
    // A client that closes the connection is not a failure.
    if (!isHangUp(error)) throw error;
  }
}

function isHangUp(error: unknown): boolean {
  return types.isNativeError(error) && (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
