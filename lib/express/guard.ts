/** Guards: checks of the principal behind a gate. */
import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';
import { KINDS, type Kind } from '../credentials/kind.js';
import type { Principal } from '../credentials/principal.js';
import { namesOf, Options } from '../options/options.js';
import { isScopeToken } from '../protocol/scope.js';
import { admissionOf } from './auth-of.js';
import { fail, type Middleware } from './middleware.js';
import { refuse } from './refuse.js';
import { reportDecision } from './report-decision.js';

/** Why a guard refuses: 403 `insufficient_scope`. */
export interface Refusal {
  /** The scopes that the route needs, said in the challenge; only where scopes were asked. */
  readonly scopes?: readonly string[] | undefined;
  /** Why, for the operator alone. */
  readonly reason?: string | undefined;
}

/** A check of the principal, and a middleware, in one value. */
export interface Guard extends Middleware {
  readonly [GUARD]: GuardFacts;
  /** The check by itself: `true` lets the request pass, anything else refuses it. */
  readonly check: GuardCheck;
}

/** A pure check of the principal. */
export type GuardCheck = (principal: Principal, req: IncomingMessage) => boolean | Refusal;

/** What a guard says of itself to whoever audits the routes. */
export interface GuardFacts {
  readonly name: string;
  /** The kinds that pass, where the guard decides by kind. */
  readonly kinds: readonly Kind[] | undefined;
}

/** Options of `defineGuard`. */
export interface GuardDefinition<R extends IncomingMessage = IncomingMessage> {
  /** The guard's name in events and in `auditRoutes`. */
  readonly name: string;
  /**
   * Judges a principal, at once: a promise is an error, since what a route depends on belongs on the principal or in
   * the handler. Only `true` lets the request pass.
   */
  check(principal: Principal, req: R): boolean | Refusal;
  /** The kinds that pass, where the guard decides by kind: then a route behind it has named its kinds. */
  readonly kinds?: readonly Kind[] | undefined;
}

// Registered, so that an audit recognises the guards of another copy of keyward.
const GUARD: unique symbol = Symbol.for('keyward.guard') as never;

/**
 * Makes a guard. `requireScopes` and the others are made with it; make your own for rules of your platform.
 *
 * Behind an optional gate to which nothing was presented it answers 401; with no gate before it, it fails closed: 500.
 * What `check` throws goes to `next`.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function defineGuard<R extends IncomingMessage = IncomingMessage>(definition: GuardDefinition<R>): Guard {
  const options = new Options('defineGuard', definition, ['name', 'check', 'kinds']);
  const name = options.text('name');
  const check = options.method<GuardCheck>('check');
  const kinds = options.has('kinds')
    ? namesOf('defineGuard: option "kinds"', definition.kinds ?? [], KINDS)
    : undefined;

  const guard: Middleware = (req, res, next) => {
    const admission = admissionOf(req);
    if (admission === undefined) {
      next(new Error(`keyward: ${name} needs a requireBearer before it on this route, and none ran`));
      return;
    }
    const { gate, principal } = admission;
    if (principal === undefined) {
      reportDecision(req, { outcome: 'refused', by: name, code: 'credential_missing', reason: 'nothing_presented' });
      refuse(res, next, gate, { code: 'credential_missing' });
      return;
    }
    let refusal: Refusal | undefined;
    try {
      refusal = refusalOf(name, check(principal, req));
    } catch (error) {
      fail(next, error);
      return;
    }
    if (refusal === undefined) {
      next();
      return;
    }
    const { scopes, reason } = refusal;
    reportDecision(req, { outcome: 'refused', by: name, code: 'insufficient_scope', reason }, principal);
    refuse(res, next, gate, { code: 'insufficient_scope', scopes });
  };
  const facts: GuardFacts = Object.freeze({ name, kinds });
  return Object.freeze(
    Object.defineProperties(guard, {
      name: { value: name },
      check: { value: check },
      [GUARD]: { value: facts },
    }) as Guard,
  );
}

const NO_REASON: Refusal = Object.freeze({});

/**
 * Reads a verdict once, into an object of our own: it is somebody else's, and may throw whenever it is looked at.
 *
 * @returns `undefined` for `true` alone.
 */
function refusalOf(name: string, verdict: boolean | Refusal): Refusal | undefined {
  if (verdict === true) return undefined;
  if (types.isPromise(verdict)) {
    Promise.prototype.catch.call(verdict, () => {});
    throw new TypeError(`keyward: ${name} must judge at once, and its check returned a promise`);
  }
  const { scopes, reason = 'guard' } = verdict || NO_REASON;
  return { scopes: scopes === undefined ? undefined : readScopes(name, scopes), reason };
}

/** RFC 6750 §3: a challenge has no other characters in its scope. */
function readScopes(name: string, given: unknown): readonly string[] {
  const scopes: unknown[] = Array.isArray(given) ? [...given] : [];
  if (scopes.length === 0 || !scopes.every(isScopeToken)) {
    throw new TypeError(`keyward: ${name} must name scopes that are scope-tokens (RFC 6749 section 3.3)`);
  }
  return Object.freeze(scopes);
}

/** What a function says of itself, if it is a guard. */
export function guardFactsOf(handle: unknown): GuardFacts | undefined {
  return typeof handle === 'function' ? (handle as Partial<Guard>)[GUARD] : undefined;
}
