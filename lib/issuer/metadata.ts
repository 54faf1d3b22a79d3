/** Creates authorization server metadata (RFC 8414 §2). */
import { ALGORITHMS } from '../tokens/algorithms.js';
import { AUTHORIZATION_PATH } from './authorization-endpoint.js';
import type { ClientAuthentication } from './clients/presented-client.js';

/** The path of the token endpoint under the issuer (docs/spec.md §4.1). */
export const TOKEN_PATH = '/connect/token';

/** The path of the introspection endpoint (RFC 7662) under the issuer. */
export const INTROSPECTION_PATH = '/connect/introspect';

/** The path of the revocation endpoint (RFC 7009) under the issuer. */
export const REVOCATION_PATH = '/connect/revocation';

/** The path of the JWK Set under the issuer. */
export const JWKS_PATH = '/.well-known/jwks.json';

/** The metadata document. It has more members than this type. */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
}

export interface MetadataOptions {
  readonly issuer: string;
  readonly clientAuthentication: readonly ClientAuthentication[];
  readonly dpop: { readonly algorithms: readonly string[] } | undefined;
  readonly mtls: object | undefined;
  readonly hasIntrospection: boolean;
  readonly hasRevocation: boolean;
}

export function issuerMetadata(options: MetadataOptions): IssuerMetadata {
  const { issuer, clientAuthentication, dpop, mtls, hasIntrospection, hasRevocation } = options;
  const base = issuer.replace(/\/$/, '');
  return Object.freeze({
    issuer,
    authorization_endpoint: `${base}${AUTHORIZATION_PATH}`,
    token_endpoint: `${base}${TOKEN_PATH}`,
    jwks_uri: `${base}${JWKS_PATH}`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    ...authenticationAt('token_endpoint', clientAuthentication),
    ...(hasIntrospection ? { introspection_endpoint: `${base}${INTROSPECTION_PATH}` } : {}),
    ...(hasIntrospection ? authenticationAt('introspection_endpoint', clientAuthentication) : {}),
    ...(hasRevocation ? { revocation_endpoint: `${base}${REVOCATION_PATH}` } : {}),
    ...(hasRevocation ? authenticationAt('revocation_endpoint', clientAuthentication) : {}),
    // These members tell clients that tokens can be bound to a key (RFC 9449 §5.1) or to a certificate (RFC 8705 §3.3).
    ...(dpop === undefined ? {} : { dpop_signing_alg_values_supported: dpop.algorithms }),
    ...(mtls === undefined ? {} : { tls_client_certificate_bound_access_tokens: true }),
  });
}

function authenticationAt(endpoint: string, clientAuthentication: readonly ClientAuthentication[]): object {
  const methods = { [`${endpoint}_auth_methods_supported`]: clientAuthentication };
  if (!clientAuthentication.includes('private_key_jwt')) return methods;
  // RFC 8414 §2 requires this member if `private_key_jwt` is supported.
  return { ...methods, [`${endpoint}_auth_signing_alg_values_supported`]: [...ALGORITHMS.keys()] };
}
