import { ServerResponse } from 'node:http';
import express, { type Express, type RequestHandler, type Router } from 'express';
import { auditRoutes, requireBearer } from 'keyward';
import { requestOf } from './passage.js';
import { DECLINING } from './stub-verifier.js';

/** The version of Express that this run is on. */
export const EXPRESS = (globalThis as { readonly EXPRESS?: number }).EXPRESS ?? 5;

/** A path as each version writes it. */
export const written = (inFive: string, inFour: string) => (EXPRESS === 5 ? inFive : inFour);

/** A gate that takes secret keys. */
export const gate = requireBearer({ accept: [{ ...DECLINING, kinds: ['secret'] }] });

/** Answers a request: in the eyes of an audit, an endpoint. */
export const handler = (_req: unknown, res: { end(): unknown }) => {
  res.end();
};

/** Each route of an app, and whether there is a gate before it. */
export function routesOf(app: object): readonly string[] {
  return auditRoutes(app).map(
    ({ method, path, gates }) => `${method} ${path} ${gates.length === 0 ? 'open' : 'gated'}`,
  );
}

/** Lets every request pass. It has the name of the middleware that express.json() returns. */
export const jsonParser: RequestHandler = (_req, _res, next) => next();

/** Answers a request, as `handler` does. */
export type EndHandler = (req: unknown, res: { end(): unknown }) => void;

/** A router with what is mounted in it. */
export function routed(mount: (router: Router) => unknown): Router {
  const router = express.Router();
  mount(router);
  return router;
}

/** Whether a request without a credential, for a target that no client library would send, reaches a handler. */
export function isReached(url: string, mount: (app: Express, end: EndHandler) => unknown): Promise<boolean> {
  return new Promise((resolve) => {
    const app = express();
    mount(app, () => resolve(true));
    const req = requestOf();
    // The app calls the last function with the error of a gate, or when no handler is left.
    app(Object.assign(req, { url, originalUrl: url }) as never, new ServerResponse(req) as never, () => resolve(false));
  });
}
