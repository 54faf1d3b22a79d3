/** Where the principal of a request is kept, and the typed way to it. */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../credentials/principal.js';
import { readBearer } from '../protocol/bearer.js';
import type { GateFacts } from './gate.js';

/** Whom a gate let in. */
export interface Admission {
  readonly gate: GateFacts;
  /** `undefined` behind an optional gate to which nothing was presented. */
  readonly principal: Principal | undefined;
}

interface ExpressRequest extends IncomingMessage {
  readonly app?: ExpressApp;
  readonly auth?: unknown;
}

interface ExpressApp {
  readonly parent?: ExpressApp;
  readonly request?: object;
}

// An own property on a request costs more than this: Express swaps the prototype of every request, and V8 then keeps
// its properties in a slower shape.
const admissions = new WeakMap<IncomingMessage, Admission>();

/** Keeps whom a gate let in, and shows it as `req.auth`; what stood there before is not trusted. */
export function admit(req: ExpressRequest, gate: GateFacts, principal: Principal | undefined): void {
  admissions.set(req, { gate, principal });
  if (req.auth === principal) return;
  offerAccessor(req.app);
  if (req.auth === principal) return;
  Object.defineProperty(req, 'auth', { value: principal, writable: true, enumerable: true, configurable: true });
}

/** Forgets whom an earlier gate let in: a refusal that an error handler swallows must not leave anybody behind. */
export function expel(req: ExpressRequest): void {
  admissions.delete(req);
  if (req.auth === undefined) return;
  Reflect.defineProperty(req, 'auth', { value: undefined, writable: true, enumerable: true, configurable: true });
}

/** Whom the last gate on the way let in; `undefined` where no gate ran. */
export function admissionOf(req: IncomingMessage): Admission | undefined {
  return admissions.get(req);
}

/**
 * The principal of a request, with its type.
 *
 * @throws Error where no `requireBearer` ran before, or nothing was presented to an optional one.
 */
export function authOf(req: IncomingMessage): Principal {
  const admission = admissions.get(req);
  if (admission === undefined) {
    throw new Error('keyward: authOf needs a requireBearer before it on this route, and none ran');
  }
  if (admission.principal === undefined) {
    throw new Error(
      'keyward: nothing was presented to this optional requireBearer; read req.auth, which may be undefined',
    );
  }
  return admission.principal;
}

/**
 * The credential that was presented, read again from the request: nothing keeps it. Do not log it.
 *
 * @throws Error where no `requireBearer` ran before, or nothing was presented to an optional one.
 */
export function credentialOf(req: IncomingMessage): string {
  authOf(req);
  const credential = readBearer(req.headers.authorization, admissions.get(req)?.gate.bareKeys === true);
  if (typeof credential !== 'string') throw new Error('keyward: the Authorization field is no longer on the request');
  return credential;
}

/**
 * Puts the accessor for `req.auth` where Express offers a place for it: on the request prototype of the outermost app,
 * from which those of mounted apps inherit. An app that has an `auth` there keeps it.
 */
function offerAccessor(app: ExpressApp | undefined): void {
  let outermost = app;
  while (outermost !== undefined && Object.hasOwn(outermost, 'parent')) outermost = outermost.parent;
  const prototype = outermost?.request;
  if (prototype === undefined || Object.hasOwn(prototype, 'auth')) return;
  Object.defineProperty(prototype, 'auth', {
    configurable: true,
    get(this: IncomingMessage): unknown {
      return admissions.get(this)?.principal;
    },
    set(this: IncomingMessage, value: unknown): void {
      Object.defineProperty(this, 'auth', { value, writable: true, enumerable: true, configurable: true });
    },
  });
}
