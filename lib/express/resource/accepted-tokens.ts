/**
 * Finds out which access tokens verifiers accept. The metadata of a resource (RFC 9728) must name exactly the issuers
 * whose tokens are accepted.
 */
import type { AcceptedTokens, CredentialVerifier } from '../../contracts/credential-verifier.js';
import { SECURE_URL } from '../../http/secure-url.js';

/**
 * Returns the issuers, audiences and clocks of the access tokens that the verifiers accept for a resource.
 *
 * @param factory - The name of the function that has the option `accept`, for error messages.
 * @throws TypeError if a verifier may accept access tokens but does not declare which; if a verifier accepts only
 *   tokens for other resources (RFC 8707 §2); if an issuer is not a URL; if no verifier accepts access tokens.
 */
export function tokensFor(
  factory: string,
  resource: string,
  accept: readonly CredentialVerifier[],
): readonly AcceptedTokens[] {
  const tokens = accept.flatMap((verifier, index) => tokensOf(factory, verifier, index) ?? []);
  if (tokens.length === 0) {
    throw new TypeError(
      `${factory}: option "accept" has no verifier for access tokens; add one, such as accessTokens()`,
    );
  }
  for (const { issuer, audiences } of tokens) {
    if (!isIssuerUrl(issuer)) {
      throw new TypeError(
        `${factory}: the issuer of every access token verifier in "accept" must be ${SECURE_URL} without a query or fragment (RFC 8414 section 2)`,
      );
    }
    if (!audiences.includes(resource)) {
      throw new TypeError(
        `${factory}: every access token verifier in "accept" must accept the value of the option "resource" of ` +
          'resourceMetadata() as an audience (RFC 8707 section 2); add this value to the option "audience" of accessTokens()',
      );
    }
  }
  return tokens;
}

/**
 * Returns the access tokens that a verifier accepts; `undefined` if the verifier accepts only API keys. It throws a
 * `TypeError` if the verifier may accept access tokens but does not declare which.
 */
function tokensOf(factory: string, verifier: CredentialVerifier, index: number): AcceptedTokens | undefined {
  const { tokens, kinds } = verifier;
  if (tokens !== undefined) return tokens;
  if (kinds?.includes('access') === false) return undefined;
  throw new TypeError(
    `${factory}: the verifier "accept[${index}]" does not declare which access tokens it accepts; set its property "tokens", or ` +
      'set its property "kinds" if it accepts only API keys',
  );
}

/**
 * Whether an issuer is a URL without a query or fragment (RFC 8414 section 2). Plain http is not refused here, because
 * `accessTokens` checks it: its option `allowHttp` permits http.
 */
function isIssuerUrl(issuer: string): boolean {
  return /^https?:\/\/[^?#]+$/.test(issuer) && URL.canParse(issuer);
}
