/** What an issuer says of itself (RFC 8414 §2). */
import type { ClientAuthentication } from './presented-client.js';

/** The path of the token endpoint under the issuer (spec section 4.1). */
export const TOKEN_PATH = '/connect/token';

/** The path of the JWK Set under the issuer. */
export const JWKS_PATH = '/.well-known/jwks.json';

/** Makes the metadata document: complete, and nothing in it that the issuer does not do. */
export function issuerMetadata(issuer: string, clientAuthentication: readonly ClientAuthentication[]): object {
  const base = issuer.replace(/\/$/, '');
  return Object.freeze({
    issuer,
    token_endpoint: `${base}${TOKEN_PATH}`,
    jwks_uri: `${base}${JWKS_PATH}`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: clientAuthentication,
  });
}
