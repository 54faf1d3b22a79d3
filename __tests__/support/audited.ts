import { auditRoutes, requireBearer } from 'keyward';
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
