/**
 * Parses client assertions (`private_key_jwt`), and checks their header and claims (RFC 7523 §3, RFC 7521 §4.2 and
 * §5.2).
 */
import type { Clock } from '../../contracts/clock.js';
import { type CompactJws, readCompactJws } from '../../protocol/compact-jws.js';
import { isNumericDate, mediaType, REFUSED_HEADER_MEMBERS, VSCHARS } from '../../protocol/jose-rules.js';
import { type JsonObject, own } from '../../protocol/strict-json.js';
import { ALGORITHMS } from '../../tokens/algorithms.js';
import { TokenRequestError } from '../token-request-error.js';

/** An assertion whose form and claims are valid. Its signature is not verified. */
export interface Assertion {
  readonly jws: CompactJws;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly clientId: string;
  readonly jti: string;
}

/** Reads an assertion. If the assertion is invalid, it throws a `TokenRequestError` with `invalid_client`. */
export type ReadAssertion = (text: string) => Assertion;

/** Maximum seconds until an assertion expires. The server must store its `jti` for this time, so the time is short. */
export const MAX_LIFETIME = 300;
/** Seconds by which `nbf` and `iat` may be in the future, because the clock of the client may be ahead. */
const CLOCK_TOLERANCE = 5;
const MAX_LENGTH = 256;

/**
 * The accepted values of `typ`. An access token or a DPoP proof of the client must not be accepted as its assertion
 * (RFC 8725 §3.11).
 */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'client-authentication+jwt'];

/**
 * Creates the function that reads assertions.
 *
 * @param audiences - The audiences that an assertion may have: the issuer and the token endpoint (RFC 7523 §3).
 */
export function assertionReader(audiences: readonly string[], clock: Clock): ReadAssertion {
  return function readAssertion(text) {
    const jws = readCompactJws(text);
    if (jws === undefined) throw refused('assertion_malformed');
    const { header, payload } = jws;

    const alg = own(header, 'alg');
    if (typeof alg !== 'string' || !ALGORITHMS.has(alg)) throw refused('assertion_alg');
    if (REFUSED_HEADER_MEMBERS.some((name) => Object.hasOwn(header, name))) throw refused('assertion_header_member');
    if (!TYPES.includes(mediaType(own(header, 'typ')))) throw refused('assertion_typ');
    const kid = own(header, 'kid');
    if (kid !== undefined && !isText(kid)) throw refused('assertion_kid');

    const clientId = own(payload, 'sub');
    if (!isText(clientId) || own(payload, 'iss') !== clientId) throw refused('assertion_client');
    if (!isAudience(own(payload, 'aud'), audiences)) throw refused('assertion_aud');
    const jti = own(payload, 'jti');
    if (!isText(jti)) throw refused('assertion_jti');
    checkTimes(payload, clock.now() / 1_000);
    return { jws, alg, kid, clientId, jti };
  };
}

/**
 * Checks `exp`, `nbf` and `iat`.
 *
 * @param now - Seconds since 1970.
 */
function checkTimes(payload: JsonObject, now: number): void {
  const exp = own(payload, 'exp');
  if (!isNumericDate(exp)) throw refused('assertion_exp');
  if (exp <= now) throw refused('assertion_expired');
  if (exp > now + MAX_LIFETIME) throw refused('assertion_lifetime');
  for (const name of ['nbf', 'iat']) {
    const time = own(payload, name);
    if (time !== undefined && (!isNumericDate(time) || time > now + CLOCK_TOLERANCE))
      throw refused('assertion_not_yet');
  }
}

/**
 * Checks that every audience in `aud` is this issuer. If `aud` also named another server, that server could send the
 * assertion here to impersonate the client.
 */
function isAudience(aud: unknown, audiences: readonly unknown[]): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.length > 0 && named.every((name) => audiences.includes(name));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && VSCHARS.test(value);
}

function refused(reason: string): TokenRequestError {
  return new TokenRequestError('invalid_client', reason);
}
