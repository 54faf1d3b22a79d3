/** Parses and verifies tokens that this issuer issued, for introspection and revocation. */
import { readCompactJws } from '../../protocol/compact-jws.js';
import { type JsonObject, own } from '../../protocol/strict-json.js';
import { type ClaimRules, readTokenClaims, type TokenClaims } from '../../tokens/claims.js';
import { readTokenHeader } from '../../tokens/header.js';
import { readKeySet } from '../../tokens/jwks/verification-key.js';
import { verifySignature } from '../../tokens/signature.js';
import { SIGNING_ALGORITHMS } from '../signing-keys/signing-key.js';
import type { SigningKeys } from '../signing-keys/signing-keys.js';

/** A token with a valid signature of this issuer and valid claims. Whether it was revoked is not checked. */
export interface IssuedToken {
  readonly claims: TokenClaims;
  readonly payload: JsonObject;
}

/**
 * Reads a token.
 *
 * @param now - Milliseconds since 1970. If it is absent, `exp`, `iat` and `nbf` are not compared with a clock.
 * @returns `undefined` for a token that this issuer did not issue, or that has expired.
 * @throws SigningKeyError if the keys cannot be read.
 */
export type ReadIssuedToken = (text: string, now?: number) => Promise<IssuedToken | undefined>;

export interface IssuedTokenParts {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: SigningKeys;
}

/**
 * Seconds by which `iat` may be in the future, because the clock of the instance that issued the token may be ahead.
 */
const CLOCK_TOLERANCE = 300;

export function issuedTokenReader({ issuer, audience, keys }: IssuedTokenParts): ReadIssuedToken {
  const algorithms: ReadonlySet<string> = new Set(SIGNING_ALGORITHMS);
  const rules: Omit<ClaimRules, 'clockTolerance'> = Object.freeze({
    ...{ issuer, audiences: [audience], profile: 'rfc9068', isIntrospected: false, ownIssuer: true },
    ...{ maxLifetime: Number.POSITIVE_INFINITY, ignoresAuthorizationDetails: false },
  });

  return async function readIssuedToken(text, now) {
    const jws = readCompactJws(text);
    if (jws === undefined) return undefined;
    const header = readTokenHeader(jws.header, algorithms, rules.profile);
    if (typeof header === 'string') return undefined;
    // With `cnf`, `readTokenClaims` would require a proof of the key that the token is bound to. The caller asks about
    // a token of another client, and does not have this key, so `cnf` is removed.
    const { cnf: _confirmation, ...payload } = jws.payload;
    const clockTolerance = now === undefined ? Number.POSITIVE_INFINITY : CLOCK_TOLERANCE;
    const claims = readTokenClaims(payload, { ...rules, clockTolerance }, now ?? 0);
    if (typeof claims === 'string') return undefined;
    const jwk = (await keys.published(header.kid)).keys.find(({ kid }) => kid === header.kid);
    // If no key has this `kid`, `jwk` is `undefined`, and `readKeySet` leaves it out.
    const [key] = readKeySet({ keys: [jwk] });
    if (key === undefined || !(await verifySignature(jws, key, header.alg))) return undefined;
    return { claims, payload: jws.payload };
  };
}

/**
 * Returns the claim `cnf` of a token, which names the key or certificate that the token is bound to (RFC 7800);
 * `undefined` if the token is not bound.
 */
export function confirmationOf({ payload }: IssuedToken): unknown {
  return own(payload, 'cnf');
}
