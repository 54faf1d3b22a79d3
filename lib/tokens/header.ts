/** Validates the JOSE header of an access token (RFC 9068 §2.1, RFC 8725 §3). */
import { mediaType, REFUSED_HEADER_MEMBERS } from '../protocol/jose-rules.js';
import { type JsonObject, own } from '../protocol/strict-json.js';

/**
 * Which rules a token must follow. `rfc9068`: the rules of RFC 9068. `jwt`: weaker rules, for issuers that do not
 * follow RFC 9068.
 */
export type TokenProfile = 'rfc9068' | 'jwt';

/** The header parameters that are needed for verification. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** The rule that the header of a token breaks. */
export type BrokenHeaderRule = 'alg' | 'header_member' | 'typ' | 'cty' | 'kid';

/**
 * The values of `typ` that each profile accepts, as `mediaType` returns them: `at+jwt` (RFC 9068 §4); in the profile
 * `jwt` also `jwt`, or no `typ`. So a JWT for another purpose, such as a logout token, is not accepted (RFC 8725
 * §3.11).
 */
const TYPES: Record<TokenProfile, ReadonlySet<unknown>> = {
  rfc9068: new Set(['at+jwt']),
  jwt: new Set(['at+jwt', 'jwt', undefined]),
};

/**
 * Validates the header of a token.
 *
 * @returns The parameters for verification, or the first rule that the header breaks.
 */
export function readTokenHeader(
  header: JsonObject,
  algorithms: ReadonlySet<string>,
  profile: TokenProfile,
): TokenHeader | BrokenHeaderRule {
  const alg = own(header, 'alg');
  if (typeof alg !== 'string' || !algorithms.has(alg)) return 'alg';
  for (const name of REFUSED_HEADER_MEMBERS) if (Object.hasOwn(header, name)) return 'header_member';
  if (!TYPES[profile].has(mediaType(own(header, 'typ')))) return 'typ';
  if (mediaType(own(header, 'cty')) === 'jwt') return 'cty';
  const kid = own(header, 'kid');
  if (kid === undefined) return profile === 'jwt' ? { alg, kid } : 'kid';
  return typeof kid === 'string' && kid !== '' ? { alg, kid } : 'kid';
}
