import type { IncomingMessage, ServerResponse } from 'node:http';

/** A middleware for Express 4, Express 5, and whatever else speaks `(req, res, next)` over `node:http`. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** A request as a router hands it on: with what it and a body parser found. */
export interface RoutedRequest extends IncomingMessage {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** As a body parser left it; look at nothing but what you check. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Passes on what was thrown, as an error that no router takes for anything else: `next(undefined)` would go on to the
 * handler, and `next('route')` skip to the next route.
 */
export function fail(next: (error: unknown) => void, thrown: unknown): void {
  const isObject = typeof thrown === 'object' && thrown !== null;
  next(isObject ? thrown : new Error(`keyward: a thrown ${typeof thrown}`));
}
