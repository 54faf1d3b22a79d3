/** The JOSE header of an access token (RFC 9068 §2.1, RFC 8725 §3). */
import { type JsonObject, own } from '../protocol/json-object.js';

/** What sort of token is taken: the profile of RFC 9068, or a plain JWT of a foreign issuer. */
export type TokenProfile = 'rfc9068' | 'jwt';

/** What of a header bears on its verification. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/**
 * Members that would change how a token is read or where its key comes from. We act on none of them, and a token that
 * asks for it is not one of ours: RFC 7515 §4.1.11 (crit), RFC 7797 (b64), RFC 7516 §4.1.3 (zip), RFC 8725 §3.10 (keys
 * that the token itself names).
 */
const REFUSED_MEMBERS = ['crit', 'b64', 'zip', 'jku', 'x5u', 'jwk', 'x5c'];

/** RFC 9068 §4: the type, with or without `application/`, in any case; RFC 8725 §3.11: and no other. */
const TYPES: Record<TokenProfile, ReadonlySet<unknown>> = {
  rfc9068: new Set(['at+jwt']),
  jwt: new Set(['at+jwt', 'jwt', undefined]),
};

/**
 * Checks the header of a token.
 *
 * @returns What of it bears on the verification, or the reason for refusing it.
 */
export function readTokenHeader(
  header: JsonObject,
  algorithms: ReadonlySet<string>,
  profile: TokenProfile,
): TokenHeader | string {
  const alg = own(header, 'alg');
  if (typeof alg !== 'string' || !algorithms.has(alg)) return 'alg';
  if (REFUSED_MEMBERS.some((name) => Object.hasOwn(header, name))) return 'header_member';
  if (!TYPES[profile].has(mediaType(own(header, 'typ')))) return 'typ';
  if (mediaType(own(header, 'cty')) === 'jwt') return 'cty';
  const kid = own(header, 'kid');
  if (kid === undefined) return profile === 'jwt' ? { alg, kid } : 'kid';
  return typeof kid === 'string' && kid !== '' ? { alg, kid } : 'kid';
}

/** RFC 7515 §4.1.9: `application/` may be left out; media types have no case. */
function mediaType(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : value;
}
