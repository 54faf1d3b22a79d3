import type { IncomingHttpHeaders } from 'node:http';
import { serve } from './raw-http.js';

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer: the body is sent as JSON unless it is a string. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ScriptedServer {
  readonly origin: string;
  /** All requests, in order. */
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** A server on a free port whose answers a test writes as a function of the request. */
export async function scriptedServer(
  answer: (request: SeenRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const { port, close } = await serve(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const request = {
      method: req.method ?? '',
      path: req.url ?? '',
      headers: req.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    seen.push(request);
    const { status = 200, headers = {}, body = {} } = await answer(request, seen.length);
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { origin: `http://127.0.0.1:${port}`, seen, close };
}
