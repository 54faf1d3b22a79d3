/**
 * Makes guards: middlewares that check the principal of a request, after a gate such as `requireBearer` has verified
 * the credential.
 */
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
import { isScopeToken, SCOPE_CHARACTERS } from '../../protocol/scope.js';
import { refuse } from '../gate/refuse.js';
import { reportDecision } from '../gate/report-decision.js';
import { authContextOf } from '../gate/request-principal.js';
import { fail, type Middleware } from '../middleware.js';
import { type GuardMetadata, mark, markOf } from '../route-metadata.js';
import { scopeTokens } from '../scopes-option.js';
import { isAcrList, isMaxAge } from './acr-and-max-age.js';

/**
 * Why a guard refuses a request, and how it answers. With `authenticationContext`, the answer is 401
 * `insufficient_user_authentication`. With `confirmation` but no `authenticationContext`, it is 401
 * `invalid_token`. Otherwise, it is 403 `insufficient_scope`.
 *
 * If a property has an invalid value, the request gets an error through `next`.
 */
export interface Refusal {
  /**
   * The scopes that the route requires, one or more. The challenge names them. Set this property only if the principal
   * lacks one of the scopes.
   */
  readonly scopes?: readonly string[] | undefined;
  /** How the user must authenticate. The challenge names it (RFC 9470 section 3). */
  readonly authenticationContext?: AuthenticationContext | undefined;
  /**
   * The methods of proof of possession that the route accepts; the client must use one of them. The challenge offers
   * the schemes of these methods (RFC 6750 section 3, RFC 9449 section 7.1).
   */
  readonly confirmation?: readonly ConfirmationMethod[] | undefined;
  /** The reason in the event `keyward:decision`, which the operator sees and the client does not. Default: `guard`. */
  readonly reason?: string | undefined;
}

/**
 * A middleware that checks the principal of a request, and refuses the request if the check fails. `requireAny` calls
 * the check without the middleware.
 */
export interface Guard extends Middleware {
  readonly 'keyward.guard': GuardMetadata;
  /** The check alone: `true` lets the request pass, any other result refuses it. */
  readonly check: GuardCheck;
}

/**
 * The check of a guard: `true` lets the request pass; `false` or a `Refusal` refuses it. The check must not change
 * anything, because `requireAny` also calls checks that do not decide.
 */
export type GuardCheck = (principal: Principal, req: IncomingMessage) => boolean | Refusal;

/** Options of `defineGuard`. */
export interface GuardDefinition<R extends IncomingMessage = IncomingMessage> {
  /** The name of the guard in events and in `auditRoutes`. */
  readonly name: string;
  /**
   * Checks the principal of a request. Only `true` lets the request pass. The check must be synchronous: if it returns
   * a promise, the request gets an error. Load the data that it needs in the verifier, as part of the principal.
   */
  check(principal: Principal, req: R): boolean | Refusal;
  /**
   * The kinds of credentials that `check` lets pass. `assertGuarded` reads this list to learn which kinds a route
   * accepts. keyward does not enforce the list: `check` must do so.
   */
  readonly kinds?: readonly Kind[] | undefined;
  /**
   * The scopes that `check` requires. keyward does not enforce the list: `check` must do so. If the gate refuses a
   * request for a missing scope, its challenge also names these scopes, and the client can request all of them at once.
   * The challenge of the guard itself names the `scopes` that `check` returns.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Returns the scopes that `check` requires, if they depend on the request. The challenge of the gate names them too.
   * This function is not called if `scopes` is given.
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
 * Makes a guard: a middleware that checks your own rule about the principal of a request. Mount it after
 * `requireBearer`.
 *
 * If `requireBearer` is optional and the request has no credential, the guard answers 401. If no `requireBearer` ran
 * before the guard, the request gets an error, which Express answers with 500. Any error that `check` throws is passed
 * to `next`.
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

/** Makes a guard from options that were already validated. */
export function createGuard({ check, ...facts }: GuardMetadata & { readonly check: GuardCheck }): Guard {
  const { name } = facts;

  const guard: Middleware = (req, res, next) => {
    const context = authContextOf(req);
    if (context === undefined) {
      next(
        new Error(
          `keyward: ${name} ran before requireBearer accepted the request; mount requireBearer before ${name} on this route`,
        ),
      );
      return;
    }
    const { gate, principal } = context;
    if (principal === undefined) {
      reportDecision(req, { outcome: 'refused', by: name, code: 'credential_missing', reason: 'nothing_presented' });
      refuse(res, next, gate, { code: 'credential_missing' });
      return;
    }
    let refusal: Refusal | undefined;
    let scheme: CredentialScheme;
    try {
      const verdict = check(principal, req);
      refusal = verdict === true ? undefined : refusalOf(name, verdict);
      scheme = principal.confirmation === 'dpop' ? 'DPoP' : 'Bearer';
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
    const schemes = confirmation && schemesFor(confirmation);
    refuse(res, next, gate, { code, scopes: needed, authenticationContext, scheme, schemes });
  };
  const metadata: GuardMetadata = Object.freeze(facts);
  Object.defineProperties(guard, { name: { value: name }, check: { value: check } });
  return mark(guard, 'keyward.guard', metadata) as Guard;
}

const NO_REASON: Refusal = Object.freeze({});

/**
 * Copies the verdict of a check, and reads each property only once: a getter of the verdict could return another value
 * the second time. A getter may also throw; the caller catches the error.
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

/**
 * Returns the schemes that a challenge offers. A token that is bound to a certificate uses the scheme `Bearer` (RFC
 * 8705 §3).
 */
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
    `keyward: ${name} returned an invalid authenticationContext; expected "acr" (a list of strings that consist of ${SCOPE_CHARACTERS}), "maxAge" (whole seconds, at least 1) or both`,
  );
}

/**
 * Validates the scopes that a challenge will name. There must be at least one scope, and each must have only the
 * characters of RFC 6750 section 3.
 */
function readScopes(name: string, given: unknown): readonly string[] {
  const scopes: unknown[] = Array.isArray(given) ? [...given] : [];
  if (scopes.length === 0 || !scopes.every(isScopeToken)) {
    ignoreRejection(given);
    throw new TypeError(
      `keyward: ${name} returned invalid scopes; expected a list of one or more scopes that consist of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3)`,
    );
  }
  return Object.freeze(scopes);
}

/** Returns the metadata of a guard; `undefined` if the value is not a guard. */
export function guardMetadataOf(handle: unknown): GuardMetadata | undefined {
  return markOf(handle, 'keyward.guard') as GuardMetadata | undefined;
}
