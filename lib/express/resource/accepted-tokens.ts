/**
 * Reads which access tokens a list of verifiers accepts: the metadata of a resource must name exactly the issuers whose
 * tokens its gate accepts.
 */
import type { AcceptedTokens, CredentialVerifier } from '../../contracts/credential-verifier.js';
import { SECURE_URL } from '../../http/secure-url.js';

/**
 * Returns the access tokens that the verifiers accept for a resource.
 *
 * @param factory - The function with the option `accept`, for errors.
 * @throws TypeError if a verifier may accept access tokens and does not say which; if a verifier accepts only tokens
 *   for other resources (RFC 8707 §2); if an issuer is not a URL; if no verifier accepts access tokens.
 */
export function tokensFor(
  factory: string,
  resource: string,
  accept: readonly CredentialVerifier[],
): readonly AcceptedTokens[] {
  const tokens = accept.flatMap((verifier, index) => tokensOf(factory, verifier, index) ?? []);
  if (tokens.length === 0) {
    throw new TypeError(`${factory}: "accept" has no verifier for access tokens; add one, such as accessTokens()`);
  }
  for (const { issuer, audiences } of tokens) {
    if (!isIssuerUrl(issuer)) {
      throw new TypeError(
        `${factory}: an issuer in "accept" must be ${SECURE_URL} without a query or fragment (RFC 8414 section 2)`,
      );
    }
    if (!audiences.includes(resource)) {
      throw new TypeError(
        `${factory}: option "resource" must exactly match an audience of every verifier for access tokens (RFC 8707 ` +
          `section 2); add it to "audience" of accessTokens()`,
      );
    }
  }
  return tokens;
}

/**
 * Returns the access tokens that a verifier accepts; `undefined` if its kinds do not include access tokens. It throws a
 * `TypeError` if the verifier says neither.
 */
function tokensOf(factory: string, verifier: CredentialVerifier, index: number): AcceptedTokens | undefined {
  const { tokens, kinds } = verifier;
  if (tokens !== undefined) return tokens;
  if (kinds?.includes('access') === false) return undefined;
  throw new TypeError(
    `${factory}: the verifier "accept[${index}]" does not declare which access tokens it accepts; set its property "tokens" or, if it ` +
      'accepts only keys, its property "kinds" to a list of their kinds',
  );
}

/**
 * Whether an issuer is a URL without a query or fragment (RFC 8414 section 2). This check accepts plain http, because
 * `accessTokens` has its own check: it refuses http except for a loopback host or with `allowHttp`.
 */
function isIssuerUrl(issuer: string): boolean {
  return /^https?:\/\/[^?#]+$/.test(issuer) && URL.canParse(issuer);
}
