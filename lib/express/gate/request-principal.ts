/**
 * Stores the principal of each request. Gates set or clear it. Handlers read it as `req.auth`, by `authOf(req)` or by
 * `gate.principal(req)`. `credentialOf` returns the credential itself.
 */
import type { IncomingMessage } from 'node:http';
import type { CredentialEntry } from '../../contracts/credential-verifier.js';
import type { Principal } from '../../credentials/principal.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { readBearer, readDpop } from '../../protocol/authorization-header.js';
import type { GateMetadata } from '../route-metadata.js';

/** What a gate stores about a request that it lets pass. `req.auth` shows only the principal. */
export interface AuthContext {
  readonly gate: GateMetadata;
  /** `undefined` if the gate is optional and the request had no credential. */
  readonly principal: Principal | undefined;
  /** The context of the gate that the request passed before this one. Read it by `earlierOf`. */
  readonly earlier?: AuthContext | undefined;
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

/**
 * Sets the principal of a request, which handlers can also read as `req.auth`. It replaces a value of `req.auth` that
 * other code has set.
 *
 * @param entry - The cache entry of the credential, with the same principal. The gate that accepts the credential first
 *   stores it as the context. A new object would be slower, because V8 keeps it longer than the request
 *   (docs/decisions/0033).
 */
export function setPrincipal(
  req: ExpressRequest,
  gate: GateMetadata,
  principal: Principal | undefined,
  entry?: CredentialEntry,
): void {
  const earlier = contexts.get(req);
  if (earlier === undefined && entry !== undefined) entry.gate ??= gate;
  const isContext = earlier === undefined && entry?.gate === gate && entry.principal === principal;
  contexts.set(req, isContext ? (entry as AuthContext) : { gate, principal, earlier });
  // `Reflect.get` is faster than `req.auth` on an Express request (docs/decisions/0031).
  if (Reflect.get(req, 'auth') === principal) return;
  if (req.app !== undefined) offerAccessor(req.app);
  // The accessor already returns the principal as `req.auth`, so the request needs no own property.
  if (req.auth === principal) return;
  Object.defineProperty(req, 'auth', { value: principal, writable: true, enumerable: true, configurable: true });
}

/**
 * Clears the principal that earlier gates have set. If an error handler ignores the refusal, later handlers see no
 * principal.
 */
export function clearPrincipal(req: ExpressRequest): void {
  contexts.delete(req);
  if (req.auth === undefined) return;
  Reflect.defineProperty(req, 'auth', { value: undefined, writable: true, enumerable: true, configurable: true });
}

/**
 * Returns the context that the last gate of the request set; `undefined` if no gate ran, or if the last gate refused
 * the request, which also clears the contexts of earlier gates.
 */
export const authContextOf: (req: IncomingMessage) => AuthContext | undefined = contexts.get.bind(contexts);

/**
 * Returns the context of the gate before; `undefined` if there was none. A cache entry has no property `earlier`, and must
 * not get one from a polluted `Object.prototype`.
 */
export function earlierOf(context: AuthContext): AuthContext | undefined {
  return Object.hasOwn(context, 'earlier') ? context.earlier : undefined;
}

/**
 * Returns the principal that a certain gate set, even if the request passed other gates after this gate.
 *
 * @throws KeywardError `gate_not_passed` if the request did not pass this gate, or if a later gate refused it.
 */
export function principalAt(req: IncomingMessage, gate: GateMetadata): Principal | undefined {
  let context = contexts.get(req);
  while (context !== undefined && context.gate !== gate) context = earlierOf(context);
  if (context !== undefined) return context.principal;
  const message = `keyward: the gate "${gate.name}" has not accepted the request; mount it before the handler that calls principal()`;
  throw new KeywardError('gate_not_passed', message);
}

/**
 * Returns the principal of a request. If the request passed several gates, the principal of the last gate is returned.
 *
 * @throws KeywardError `gate_not_passed` if no `requireBearer` has accepted the request, or if `requireBearer` is
 *   optional and the request has no credential.
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
      'keyward: requireBearer has not accepted this request; mount requireBearer before this handler',
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
 * Returns the credential of a request, without its scheme. keyward does not store credentials, so it reads the
 * `Authorization` header again. Do not log the credential.
 *
 * @throws KeywardError `gate_not_passed` if no `requireBearer` has accepted the request, if `requireBearer` is optional
 *   and the request has no credential, or if other code has changed the Authorization header since.
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
  const bearer = readBearer(authorization, allowsSchemeless(contexts.get(req)));
  const credential = typeof bearer === 'string' ? bearer : readDpop(authorization);
  if (typeof credential !== 'string')
    throw new KeywardError(
      'gate_not_passed',
      'keyward: the Authorization header was removed or changed after requireBearer read it; call credentialOf before the header is changed',
    );
  return credential;
}

/**
 * Whether a gate that set the current principal accepts a key without `Bearer`. `openApiGate` sets the principal of an
 * earlier gate again, for an operation without security.
 */
function allowsSchemeless(last: AuthContext | undefined): boolean {
  for (let context = last; context !== undefined; context = earlierOf(context)) {
    if (context.principal === last?.principal && context.gate.allowSchemeless) return true;
  }
  return false;
}

/**
 * Defines the accessor `auth` on the request prototype of the outermost app; the prototypes of mounted apps inherit
 * from it. If the app has defined its own `auth` there, it is not replaced.
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
