/**
 * The principal of a request: gates set and clear it, also as `req.auth`, and handlers read it with `authOf` or
 * `gate.principal`. `credentialOf` reads the credential itself.
 */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../credentials/principal.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { readBearer, readDpop } from '../../protocol/authorization-header.js';
import type { GateMetadata } from '../route-metadata.js';

/** What a gate stores for a request that it lets pass. Only the principal is also available as `req.auth`. */
export interface AuthContext {
  readonly gate: GateMetadata;
  /** `undefined` after an optional gate that got no credential. */
  readonly principal: Principal | undefined;
  /** The context of the gate before it, if the request passed several. */
  readonly earlier: AuthContext | undefined;
}

interface ExpressRequest extends IncomingMessage {
  readonly app?: ExpressApp;
  readonly auth?: unknown;
}

interface ExpressApp {
  readonly parent?: ExpressApp;
  readonly request?: object;
}

// A WeakMap is faster than a property of the request: V8 reads properties of an Express request slowly
// (docs/decisions/0031).
const contexts = new WeakMap<IncomingMessage, AuthContext>();

/** Sets the principal of a request, also as `req.auth`. A value that other code has set there is replaced. */
export function setPrincipal(req: ExpressRequest, gate: GateMetadata, principal: Principal | undefined): void {
  contexts.set(req, { gate, principal, earlier: contexts.get(req) });
  // `Reflect.get` is faster than `req.auth` on an Express request (docs/decisions/0031).
  if (Reflect.get(req, 'auth') === principal) return;
  if (req.app !== undefined) offerAccessor(req.app);
  // With the accessor, `req.auth` already returns the principal, and the request needs no property of its own.
  if (req.auth === principal) return;
  Object.defineProperty(req, 'auth', { value: principal, writable: true, enumerable: true, configurable: true });
}

/**
 * Clears the principal that earlier gates set: if an error handler ignores a refusal, later handlers see no principal.
 */
export function clearPrincipal(req: ExpressRequest): void {
  contexts.delete(req);
  if (req.auth === undefined) return;
  Reflect.defineProperty(req, 'auth', { value: undefined, writable: true, enumerable: true, configurable: true });
}

/** Returns the context of the last gate; `undefined` if no gate ran, or the last one refused the request. */
export const authContextOf: (req: IncomingMessage) => AuthContext | undefined = contexts.get.bind(contexts);

/**
 * Returns the principal that a gate set, even if the request passed other gates after it.
 *
 * @throws KeywardError `gate_not_passed` if the request did not pass this gate.
 */
export function principalAt(req: IncomingMessage, gate: GateMetadata): Principal | undefined {
  let context = contexts.get(req);
  while (context !== undefined && context.gate !== gate) context = context.earlier;
  if (context !== undefined) return context.principal;
  const message = `keyward: the gate "${gate.name}" has not accepted the request; mount it before the handler that calls principal()`;
  throw new KeywardError('gate_not_passed', message);
}

/**
 * Returns the principal of a request that passed a gate.
 *
 * @throws KeywardError `gate_not_passed` if no `requireBearer` ran before, or if an optional gate got no credential.
 * @example
 * ```ts
 * import express from 'express';
 * import { authOf, requireBearer } from 'keyward';
 *
 * const app = express();
 * app.use(requireBearer({ issuer: 'https://login.example', audience: 'api' }));
 * app.get('/me', (req, res) => void res.json({ account: authOf(req).account }));
 * ```
 */
export function authOf(req: IncomingMessage): Principal {
  const context = contexts.get(req);
  if (context === undefined) {
    throw new KeywardError(
      'gate_not_passed',
      'keyward: no requireBearer ran before authOf; mount requireBearer before it on this route',
    );
  }
  if (context.principal === undefined) {
    throw new KeywardError(
      'gate_not_passed',
      'keyward: the request has no credential, and requireBearer is optional on this route; check that req.auth is not undefined before you call authOf or credentialOf',
    );
  }
  return context.principal;
}

/**
 * Returns the credential of a request. It is read from the request again, because keyward does not store it. Do not log
 * it.
 *
 * @throws KeywardError `gate_not_passed` if no `requireBearer` ran before, if an optional gate got no credential, or if
 *   the Authorization header was changed after the gate.
 * @example
 * ```ts
 * import express from 'express';
 * import { credentialOf, requireBearer } from 'keyward';
 *
 * const app = express();
 * app.use(requireBearer({ issuer: 'https://login.example', audience: 'api' }));
 * app.get('/report', async (req, res) => {
 *   const headers = { Authorization: `Bearer ${credentialOf(req)}` };
 *   res.json(await (await fetch('https://reports.internal.example/', { headers })).json());
 * });
 * ```
 */
export function credentialOf(req: IncomingMessage): string {
  authOf(req);
  const { authorization } = req.headers;
  const bearer = readBearer(authorization, contexts.get(req)?.gate.allowSchemeless === true);
  const credential = typeof bearer === 'string' ? bearer : readDpop(authorization);
  if (typeof credential !== 'string')
    throw new KeywardError(
      'gate_not_passed',
      'keyward: the Authorization header was removed or changed after requireBearer had read it; call credentialOf before that',
    );
  return credential;
}

/**
 * Defines the accessor for `req.auth` on the request prototype of the outermost app, from which mounted apps inherit.
 * An `auth` that the app itself has defined is not replaced.
 */
function offerAccessor(app: ExpressApp): void {
  let outermost: ExpressApp | undefined = app;
  while (outermost !== undefined && Object.hasOwn(outermost, 'parent')) outermost = outermost.parent;
  const prototype = outermost?.request;
  if (prototype === undefined || Object.hasOwn(prototype, 'auth')) return;
  Object.defineProperty(prototype, 'auth', {
    configurable: true,
    get(this: IncomingMessage): unknown {
      return contexts.get(this)?.principal;
    },
    set(this: IncomingMessage, value: unknown): void {
      Object.defineProperty(this, 'auth', { value, writable: true, enumerable: true, configurable: true });
    },
  });
}
