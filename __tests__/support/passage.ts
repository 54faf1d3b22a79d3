import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Middleware } from 'keyward';

/** What became of a request that went through middleware, one after the other, without a router or a network. */
export interface Passage {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Whether every one of them passed it on. */
  readonly passed: boolean;
  /** What `next` was called with, where one of them did not. */
  readonly error: unknown;
}

export interface RequestParts {
  readonly method?: string;
  readonly url?: string;
  /** Lower-case names, as Node leaves them. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly rawHeaders?: readonly string[];
  /** What a router, a parser or other code put on the request. */
  readonly [member: string]: unknown;
}

const SOCKET = new Socket();

/** Makes a request as Node does, with what upstream code may have done to it. */
export function requestOf({ method = 'GET', url = '/', headers = {}, ...members }: RequestParts = {}): IncomingMessage {
  const req = new IncomingMessage(SOCKET);
  Object.assign(req, { method, url, ...members });
  Object.assign(req.headers, headers);
  return req;
}

/** A request that presents a credential. */
export function bearing(credential: string, { headers, ...parts }: RequestParts = {}): IncomingMessage {
  return requestOf({ ...parts, headers: { authorization: `Bearer ${credential}`, ...headers } });
}

/** Sends a request through middleware; it settles when one of them refuses, or the last has passed it on. */
export async function pass(req: IncomingMessage, ...middlewares: readonly Middleware[]): Promise<Passage> {
  const res = new ServerResponse(req);
  for (const middleware of middlewares) {
    const error = await new Promise<unknown>((resolve) => middleware(req, res, resolve));
    // Express takes a falsy error for none.
    if (error) return { req, res, passed: false, error };
  }
  return { req, res, passed: true, error: undefined };
}
