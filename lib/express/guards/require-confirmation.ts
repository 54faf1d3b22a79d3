import { CONFIRMATION_METHODS, type ConfirmationMethod, type Principal } from '../../credentials/principal.js';
import { namesOf } from '../../options/options.js';
import { createGuard, type Guard } from './guard.js';

/**
 * Lets a request pass only if the client has proved by one of the methods that its token is bound to it (RFC 9449, RFC
 * 8705). Use it for routes on which a stolen credential would do the most harm.
 *
 * Any other request, also with an API key, gets 401 `invalid_token`. The challenge offers the scheme `DPoP` if `'dpop'`
 * is among the methods.
 *
 * @param methods - `'dpop'`, `'mtls'` or both. If both are given, one of them is enough.
 * @throws TypeError if no method is given, or if a method is unknown.
 * @example
 * ```ts
 * import { accessTokens, requireBearer, requireConfirmation } from 'keyward';
 *
 * const dpop = { origin: 'https://api.example' };
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'https://api.example', dpop });
 * app.use(requireBearer({ accept: [tokens] }));
 * app.post('/payouts', requireConfirmation('dpop'), (req, res) => {
 *   res.sendStatus(202);
 * });
 * ```
 */
export function requireConfirmation(...methods: readonly ConfirmationMethod[]): Guard {
  const confirmation = namesOf('requireConfirmation', methods, CONFIRMATION_METHODS);
  const refusal = Object.freeze({ confirmation, reason: 'confirmation' });
  return createGuard({
    name: `requireConfirmation(${confirmation.join(', ')})`,
    kinds: ['access'],
    scopes: undefined,
    mutualTls: confirmation.every((method) => method === 'mtls'),
    check: (principal) => provenMethods(principal).some((method) => confirmation.includes(method)) || refusal,
  });
}

/**
 * Returns the methods by which the client has proved in this request that it owns the token. If a token is bound to a
 * key pair and to a certificate, a verifier checks both, but `confirmation` names only `dpop`.
 */
export function provenMethods(principal: Principal): readonly ConfirmationMethod[] {
  // An own property: most principals have none, and `Object.prototype` may be polluted.
  const confirmation = Object.hasOwn(principal, 'confirmation') ? principal.confirmation : undefined;
  if (confirmation === undefined) return [];
  const isBoth = confirmation === 'dpop' && 'payload' in principal && 'x5t#S256' in Object(principal.payload.cnf);
  return isBoth ? CONFIRMATION_METHODS : [confirmation];
}
