import type { IncomingMessage } from 'node:http';
import { systemClock } from '../../contracts/clock.js';
import type { AcceptedTokens } from '../../contracts/credential-verifier.js';
import type { AccessPrincipal, Principal } from '../../credentials/principal.js';
import { type Option, type OptionTable, optional, readTable } from '../../options/option-table.js';
import type { AuthenticationContext } from '../../protocol/challenge.js';
import { SCOPE_CHARACTERS } from '../../protocol/scope.js';
import { own } from '../../protocol/strict-json.js';
import { authContextOf } from '../gate/request-principal.js';
import { isAcrList, isMaxAge } from './acr-and-max-age.js';
import { defineGuard, type Guard } from './guard.js';

const acrList: Option<readonly string[]> = (options, name) => {
  const value = options.raw(name);
  if (isAcrList(value)) return Object.freeze([...value]);
  throw options.wrongList(name, `a list of one or more acr values that consist of ${SCOPE_CHARACTERS}`);
};

const seconds: Option<number> = (options, name) => {
  const value = options.raw(name);
  if (isMaxAge(value)) return value;
  throw options.mistake(name, 'a whole number of seconds, 1 or more');
};

const OPTIONS = { acr: optional(acrList), maxAge: optional(seconds) } satisfies OptionTable<AuthenticationContext>;

/**
 * The seconds that `auth_time` may be in the future, because clocks differ. This default of `accessTokens` is used for
 * a verifier that does not state its own tolerance.
 */
const CLOCK_TOLERANCE = 5;

/**
 * Step-up authentication (RFC 9470): lets a request pass if the user of its access token has authenticated with one of
 * the `acr` values, and within the last `maxAge` seconds.
 *
 * Every other request with a credential gets 401 `insufficient_user_authentication`. The challenge names `acr_values`
 * and `max_age`, and the client can send its user to the issuer again. A request with an API key is refused too,
 * because a key has no user.
 *
 * The guard reads the claims `acr` and `auth_time`, and compares `auth_time` with the clock of the verifier.
 *
 * @param context - `acr`: the accepted values, the preferred one first. `maxAge`: seconds since `auth_time`. At least
 *   one of the two is required.
 * @returns A guard, for routes behind `requireBearer`.
 * @throws TypeError if both options are missing, if an `acr` value contains a space, or if `maxAge` is not a whole
 *   number of 1 or more.
 * @example
 * ```ts
 * import express from 'express';
 * import { requireAuthenticationContext } from 'keyward';
 *
 * const app = express();
 * app.post('/payouts', requireAuthenticationContext({ acr: ['urn:example:mfa'], maxAge: 300 }), (_req, res) => {
 *   res.status(201).end();
 * });
 * ```
 */
export function requireAuthenticationContext(context: AuthenticationContext): Guard {
  const { acr, maxAge } = readTable('requireAuthenticationContext', context, OPTIONS);
  if (acr === undefined && maxAge === undefined) {
    throw new TypeError('requireAuthenticationContext: expected "acr", "maxAge" or both');
  }
  const refusal = Object.freeze({
    authenticationContext: Object.freeze({ acr, maxAge }),
    reason: 'authentication_context',
  });
  const named = [...(acr ?? []), ...(maxAge === undefined ? [] : [`${maxAge} s`])];
  return defineGuard({
    name: `requireAuthenticationContext(${named.join(', ')})`,
    kinds: ['access'],
    check(principal, req) {
      if (principal.kind !== 'access') return refusal;
      if (acr !== undefined && !acr.some((value) => value === claimOf(principal, 'acr'))) return refusal;
      return maxAge === undefined || isRecent(principal, req, maxAge) || refusal;
    },
  });
}

function isRecent(principal: AccessPrincipal, req: IncomingMessage, maxAge: number): boolean {
  const authTime = claimOf(principal, 'auth_time');
  if (typeof authTime !== 'number') return false;
  const { clock = systemClock, clockTolerance = CLOCK_TOLERANCE } = tokensOf(principal, req) ?? NO_TOKENS;
  const age = clock.now() / 1_000 - authTime;
  return age <= maxAge && age >= -clockTolerance;
}

const NO_TOKENS: Partial<AcceptedTokens> = Object.freeze({});

/**
 * Returns the token settings of the verifier that accepted this principal. It is the verifier with the same issuer, or
 * otherwise the first verifier of access tokens.
 */
function tokensOf(principal: Principal & { kind: 'access' }, req: IncomingMessage): AcceptedTokens | undefined {
  const tokens = authContextOf(req)?.gate.accept?.flatMap((verifier) => verifier.tokens ?? []) ?? [];
  const issuer = claimOf(principal, 'iss');
  return tokens.find((known) => known.issuer === issuer) ?? tokens[0];
}

function claimOf(principal: AccessPrincipal, name: string): unknown {
  // A custom verifier may omit the payload.
  return own((principal as Partial<AccessPrincipal>).payload ?? {}, name);
}
