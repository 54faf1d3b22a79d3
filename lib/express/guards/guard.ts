/** Guards: checks of the principal after a gate. */
import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';
import { KINDS, type Kind } from '../../credentials/credential-kind.js';
import { CONFIRMATION_METHODS, type ConfirmationMethod, type Principal } from '../../credentials/principal.js';
import { ignoreRejection } from '../../events/run-callback.js';
import { method, names, type OptionTable, optional, readTable, text } from '../../options/option-table.js';
import { namesOf } from '../../options/options.js';
import type { CredentialScheme } from '../../protocol/authorization-header.js';
import type { BearerErrorCode } from '../../protocol/bearer-error-codes.js';
import type { AuthenticationContext } from '../../protocol/challenge.js';
import { isScopeToken } from '../../protocol/scope.js';
import { refuse } from '../gate/refuse.js';
import { reportDecision } from '../gate/report-decision.js';
import { authContextOf } from '../gate/request-principal.js';
import { fail, type Middleware } from '../middleware.js';
import { type GuardMetadata, mark, markOf } from '../route-metadata.js';
import { scopeTokens } from '../scopes-option.js';
import { isAcrList, isMaxAge } from './acr-and-max-age.js';

/**
 * Why a guard refuses a request. The answer is 403 `insufficient_scope`; with `authenticationContext` it is 401
 * `insufficient_user_authentication`, otherwise with `confirmation` 401 `invalid_token`. An invalid value is an error,
 * which is passed to `next`.
 */
export interface Refusal {
  /** The scopes that the route needs, one or more, named in the challenge. Set only if scopes were checked. */
  readonly scopes?: readonly string[] | undefined;
  /** How the user must authenticate, named in the challenge (RFC 9470 section 3). */
  readonly authenticationContext?: AuthenticationContext | undefined;
  /**
   * One of these methods must bind the credential to its client. The challenge names their schemes (RFC 6750 section 3,
   * RFC 9449 section 7.1).
   */
  readonly confirmation?: readonly ConfirmationMethod[] | undefined;
  /** The reason, for the operator only. Default: `guard`. */
  readonly reason?: string | undefined;
}

/**
 * A middleware that refuses a request whose principal does not pass its check. `requireAny` uses the check without the
 * middleware.
 */
export interface Guard extends Middleware {
  readonly 'keyward.guard': GuardMetadata;
  /** The check alone: `true` lets the request pass, any other result refuses it. */
  readonly check: GuardCheck;
}

/**
 * The check of a guard: `true` lets the request pass; `false` or a `Refusal` refuses it. It must not change anything,
 * because `requireAny` calls it even if another guard decides.
 */
export type GuardCheck = (principal: Principal, req: IncomingMessage) => boolean | Refusal;

/** Options of `defineGuard`. */
export interface GuardDefinition<R extends IncomingMessage = IncomingMessage> {
  /** The name of the guard in events and in `auditRoutes`. */
  readonly name: string;
  /**
   * Checks a principal synchronously. A promise is an error: load the data in the verifier (as part of the principal)
   * or in the handler instead. Only `true` lets the request pass.
   */
  check(principal: Principal, req: R): boolean | Refusal;
  /**
   * The kinds that pass, if the guard decides by kind. `assertGuarded` then knows which kinds a route accepts. keyward
   * does not check them: `check` must.
   */
  readonly kinds?: readonly Kind[] | undefined;
  /**
   * The scopes that a principal needs, if the guard decides by scope. keyward does not check them: `check` must. If a
   * gate before the guard refuses for a missing scope, the challenge of the gate names these scopes too: a client can
   * then request all scopes at once. The challenge of the guard names the `scopes` that `check` returns.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Returns the scopes for the challenge of the gate, if they depend on the request. Used only if `scopes` is not
   * given.
   */
  readonly scopesOf?: ((req: R) => readonly string[]) | undefined;
}

const OPTIONS = {
  name: text,
  check: method<GuardCheck>(),
  kinds: optional(names(KINDS)),
  scopes: optional(scopeTokens),
  scopesOf: optional(method<(req: IncomingMessage) => readonly string[]>()),
} satisfies OptionTable<GuardDefinition>;

/**
 * Makes a guard for a rule of your platform. `requireScopes` and the other guards are made with it.
 *
 * After an optional gate that got no credential the guard answers 401. Without a gate before it, it fails closed: 500.
 * Anything that `check` throws is passed to `next`.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import { defineGuard } from 'keyward';
 *
 * const requireLive = defineGuard({
 *   name: 'requireLive',
 *   check: (principal) => principal.environment === 'live' || { reason: 'environment' },
 * });
 * ```
 */
export function defineGuard<R extends IncomingMessage = IncomingMessage>(definition: GuardDefinition<R>): Guard {
  return createGuard(readTable('defineGuard', definition, OPTIONS));
}

/** Makes a guard from options that are already checked. */
export function createGuard({ check, ...facts }: GuardMetadata & { readonly check: GuardCheck }): Guard {
  const { name } = facts;

  const guard: Middleware = (req, res, next) => {
    const context = authContextOf(req);
    if (context === undefined) {
      next(new Error(`keyward: no requireBearer ran before ${name}; mount requireBearer before it on this route`));
      return;
    }
    const { gate, principal } = context;
    if (principal === undefined) {
      reportDecision(req, { outcome: 'refused', by: name, code: 'credential_missing', reason: 'nothing_presented' });
      refuse(res, next, gate, { code: 'credential_missing' });
      return;
    }
    let refusal: Refusal | undefined;
    try {
      const verdict = check(principal, req);
      refusal = verdict === true ? undefined : refusalOf(name, verdict);
    } catch (error) {
      fail(next, error);
      return;
    }
    if (refusal === undefined) {
      next();
      return;
    }
    const { reason, scopes: needed, authenticationContext, confirmation } = refusal;
    const code = codeOf(refusal);
    reportDecision(req, { outcome: 'refused', by: name, code, reason }, principal);
    const scheme = principal.confirmation === 'dpop' ? 'DPoP' : 'Bearer';
    const schemes = confirmation && schemesFor(confirmation);
    refuse(res, next, gate, { code, scopes: needed, authenticationContext, scheme, schemes });
  };
  const metadata: GuardMetadata = Object.freeze(facts);
  Object.defineProperties(guard, { name: { value: name }, check: { value: check } });
  return mark(guard, 'keyward.guard', metadata) as Guard;
}

const NO_REASON: Refusal = Object.freeze({});

/**
 * Reads each property of the verdict only once. The verdict comes from user code, so a getter may throw; the caller
 * catches it.
 */
function refusalOf(name: string, verdict: false | Refusal): Refusal {
  if (types.isPromise(verdict)) {
    ignoreRejection(verdict);
    throw new TypeError(`keyward: ${name} returned a promise from its check; return the result synchronously`);
  }
  const { scopes, authenticationContext, confirmation, reason = 'guard' } = verdict || NO_REASON;
  return {
    scopes: scopes === undefined ? undefined : readScopes(name, scopes),
    authenticationContext: authenticationContext && readContext(name, authenticationContext),
    confirmation:
      confirmation === undefined ? undefined : namesOf(`keyward: ${name}`, [...confirmation], CONFIRMATION_METHODS),
    reason,
  };
}

function codeOf({ authenticationContext, confirmation }: Refusal): BearerErrorCode {
  if (authenticationContext !== undefined) return 'insufficient_user_authentication';
  return confirmation === undefined ? 'insufficient_scope' : 'invalid_token';
}

/** Returns the schemes for a challenge. A token that is bound to a certificate uses the scheme Bearer (RFC 8705 §3). */
function schemesFor(confirmation: readonly ConfirmationMethod[]): readonly CredentialScheme[] {
  return confirmation.map((method) => (method === 'dpop' ? 'DPoP' : 'Bearer')).sort();
}

function readContext(name: string, given: AuthenticationContext): AuthenticationContext {
  const { acr, maxAge } = given;
  const isEmpty = acr === undefined && maxAge === undefined;
  if (!isEmpty && (acr === undefined || isAcrList(acr)) && (maxAge === undefined || isMaxAge(maxAge))) {
    return { acr: acr && [...acr], maxAge };
  }
  throw new TypeError(
    `keyward: ${name} returned an invalid authenticationContext; expected "acr", "maxAge" or both (RFC 9470 section 3)`,
  );
}

/** Checks the scopes that a challenge will name: one or more, each with the characters of RFC 6750 section 3. */
function readScopes(name: string, given: unknown): readonly string[] {
  const scopes: unknown[] = Array.isArray(given) ? [...given] : [];
  if (scopes.length === 0 || !scopes.every(isScopeToken)) {
    ignoreRejection(given);
    throw new TypeError(
      `keyward: ${name} returned invalid scopes; expected a list of one or more scopes without spaces, quotes or backslashes (RFC 6749 section 3.3)`,
    );
  }
  return Object.freeze(scopes);
}

/** Returns the metadata of a guard; `undefined` for any other value. */
export function guardMetadataOf(handle: unknown): GuardMetadata | undefined {
  return markOf(handle, 'keyward.guard') as GuardMetadata | undefined;
}
