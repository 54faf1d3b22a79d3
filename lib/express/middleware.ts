import type { IncomingMessage, ServerResponse } from 'node:http';

/** A middleware for Express 4, Express 5, and other frameworks that use `(req, res, next)` with `node:http`. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** A request as Express passes it to the handler of a route. It has `body` if a body parser ran before the handler. */
export interface RoutedRequest extends IncomingMessage {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed body. It is not validated. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Passes a thrown value to `next`, always as an error. Without the error, Express would continue: `next(undefined)`
 * runs the next handler, and `next('route')` skips to the next route.
 */
export function fail(next: (error: unknown) => void, thrown: unknown): void {
  const isObject = typeof thrown === 'object' && thrown !== null;
  next(
    isObject
      ? thrown
      : new Error(
          `keyward: a callback threw ${thrown === null ? 'null' : `a value of type ${typeof thrown}`}; throw an Error instead`,
        ),
  );
}
