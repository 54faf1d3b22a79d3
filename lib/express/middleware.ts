import type { IncomingMessage, ServerResponse } from 'node:http';

/** A middleware for Express 4, Express 5, and whatever else speaks `(req, res, next)` over `node:http`. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** A request as a router hands it on: with what it and a body parser found. */
export interface RoutedRequest extends IncomingMessage {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** As a body parser left it; look at nothing but what you check. */
  readonly body?: Readonly<Record<string, string | undefined>>;
}
