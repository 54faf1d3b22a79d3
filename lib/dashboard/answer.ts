/** What a page answers. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { types } from 'node:util';
import type { Html } from './html.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

export function answerPage(status: number, page: Html, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body: page.text };
}

/** Goes on to a page after a form was taken, so that a reload sends nothing again. */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { Location: location }, body: '' };
}

/** Writes an answer. What is streamed breaks off where it fails, so that nobody takes a part for the whole. */
export async function write(res: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  // The host app may have answered in the meantime, by a time-out of its own.
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
    // Who hangs up has not failed.
    if (!isHangUp(error)) throw error;
  }
}

function isHangUp(error: unknown): boolean {
  return types.isNativeError(error) && (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
