/** Validates the JOSE header of an access token (RFC 9068 §2.1, RFC 8725 §3). */
import { type JsonObject, own } from '../protocol/strict-json.js';

/** The accepted profile: RFC 9068, or a JWT of an issuer that does not follow RFC 9068. */
export type TokenProfile = 'rfc9068' | 'jwt';

/** The header parameters that are needed for verification. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** The rule that the header of a token breaks. */
export type BrokenHeaderRule = 'alg' | 'header_member' | 'typ' | 'cty' | 'kid';

/**
 * Header parameters that change how a token is parsed, or where its key comes from. None of them is supported, so a
 * token with one is refused: RFC 7515 section 4.1.11 (crit), RFC 7797 (b64), RFC 7516 section 4.1.3 (zip), RFC 8725
 * section 3.10 (keys in the token itself).
 */
const REFUSED_MEMBERS = ['crit', 'b64', 'zip', 'jku', 'x5u', 'jwk', 'x5c'];

/**
 * The values of `typ` that each profile accepts, as `mediaType` returns them: `at+jwt` (RFC 9068 §4), and in the
 * profile `jwt` also `jwt` or no `typ`. A token of any other type is refused (RFC 8725 §3.11).
 */
const TYPES: Record<TokenProfile, ReadonlySet<unknown>> = {
  rfc9068: new Set(['at+jwt']),
  jwt: new Set(['at+jwt', 'jwt', undefined]),
};

/**
 * Validates the header of a token.
 *
 * @returns The members for verification, or the first rule that the header breaks.
 */
export function readTokenHeader(
  header: JsonObject,
  algorithms: ReadonlySet<string>,
  profile: TokenProfile,
): TokenHeader | BrokenHeaderRule {
  const alg = own(header, 'alg');
  if (typeof alg !== 'string' || !algorithms.has(alg)) return 'alg';
  for (const name of REFUSED_MEMBERS) if (Object.hasOwn(header, name)) return 'header_member';
  if (!TYPES[profile].has(mediaType(own(header, 'typ')))) return 'typ';
  if (mediaType(own(header, 'cty')) === 'jwt') return 'cty';
  const kid = own(header, 'kid');
  if (kid === undefined) return profile === 'jwt' ? { alg, kid } : 'kid';
  return typeof kid === 'string' && kid !== '' ? { alg, kid } : 'kid';
}

/**
 * Returns a media type in lower case, without `application/`: this prefix may be left out, and case does not matter
 * (RFC 7515 section 4.1.9).
 */
function mediaType(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : value;
}
