/**
 * Creates the `WWW-Authenticate` field (RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9449 section 7.1). The texts
 * of the errors are in bearer-error-codes.ts.
 */
import type { CredentialScheme } from './authorization-header.js';
import { BEARER_ERRORS, type BearerErrorCode, isOauthError } from './bearer-error-codes.js';
import { formatScope } from './scope.js';

/** The parameters that all challenges of a gate share. */
export interface ChallengeContext {
  readonly realm: string;
  /** The URL of the protected resource's metadata (RFC 9728 §5.1). */
  readonly resourceMetadata: string | undefined;
  /** The accepted schemes. Default: only `Bearer`. */
  readonly schemes?: readonly CredentialScheme[] | undefined;
  /** The signature algorithms that proofs may use: `algs` of RFC 9449 §5.1. */
  readonly algorithms?: readonly string[] | undefined;
}

/** The parts of a challenge that depend on the request. */
export interface ChallengeRequest {
  /** The scheme of the presented credential. Only the challenge for this scheme names the error. Default: `Bearer`. */
  readonly scheme?: CredentialScheme | undefined;
  /** The schemes to offer. Default: all schemes that the gate accepts. */
  readonly schemes?: readonly CredentialScheme[] | undefined;
  /** The authentication that the user needs, for `insufficient_user_authentication`. */
  readonly authenticationContext?: AuthenticationContext | undefined;
}

const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;

/**
 * Checks whether a text is printable ASCII. Other characters must not be in a quoted-string, because a proxy may change
 * them.
 */
export function isQuotable(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

/** How recently and how strongly the user must have authenticated (RFC 9470 §3). */
export interface AuthenticationContext {
  /**
   * Authentication context class references. The token must have one of them as `acr`. The preferred one comes first.
   */
  readonly acr?: readonly string[] | undefined;
  /** Maximum seconds since the user authenticated. The token has the time of the authentication as `auth_time`. */
  readonly maxAge?: number | undefined;
}

const BEARER: readonly CredentialScheme[] = ['Bearer'];

/**
 * Writes the challenges of a response. A 401 has one challenge for each offered scheme. Any other status has only the
 * challenge for the presented scheme, or for the first offered scheme if the presented one is not offered.
 *
 * The challenge for the presented scheme names the error, if OAuth defines its code. If no credential was presented, no
 * challenge names an error (RFC 6750 section 3.1).
 */
export function bearerChallenge(
  context: ChallengeContext,
  code: BearerErrorCode,
  scopes?: readonly string[],
  {
    scheme: presented = 'Bearer',
    schemes = context.schemes ?? BEARER,
    authenticationContext = {},
  }: ChallengeRequest = {},
): string {
  const failed = schemes.includes(presented) ? presented : (schemes[0] ?? 'Bearer');
  const named = BEARER_ERRORS[code].status === 401 ? schemes : [failed];
  return named
    .map((scheme) => {
      const parameters: [name: string, value: string][] = [['realm', context.realm]];
      if (scheme === failed && isOauthError(code)) {
        parameters.push(['error', code], ['error_description', BEARER_ERRORS[code].description]);
        const { acr, maxAge } = authenticationContext;
        if (acr !== undefined) parameters.push(['acr_values', acr.join(' ')]);
        if (maxAge !== undefined) parameters.push(['max_age', String(maxAge)]);
      }
      if (scopes !== undefined) parameters.push(['scope', formatScope(scopes)]);
      if (context.resourceMetadata !== undefined) parameters.push(['resource_metadata', context.resourceMetadata]);
      if (scheme === 'DPoP' && context.algorithms) parameters.push(['algs', context.algorithms.join(' ')]);
      return `${scheme} ${parameters.map(([name, value]) => `${name}=${quoted(value)}`).join(', ')}`;
    })
    .join(', ');
}

/**
 * Creates the challenges of a gate in advance, one for each code. They name the scopes of the gate, but not the scopes
 * of guards, so they are the same for every request.
 *
 * @param scopes - The scopes that the gate requires of every principal. A 401 names them, so that a client can request
 *   them in its first token request.
 */
export function plainChallenges(
  context: ChallengeContext,
  scopes: readonly string[] = [],
): Readonly<Record<BearerErrorCode, string>> {
  const codes = Object.keys(BEARER_ERRORS) as BearerErrorCode[];
  const written = codes.map((code) => {
    return [code, bearerChallenge(context, code, scopesOf401(scopes, code))];
  });
  return Object.freeze(Object.fromEntries(written));
}

/** Returns the scopes of a gate that a 401 names; `undefined` for other responses, or if the gate requires none. */
export function scopesOf401(scopes: readonly string[], code: BearerErrorCode): readonly string[] | undefined {
  return scopes.length > 0 && BEARER_ERRORS[code].status === 401 ? scopes : undefined;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
