/** The metadata of a protected resource (RFC 9728 §2). */
import type { ConfirmationMethods, CredentialVerifier } from '../../contracts/credential-verifier.js';

/** The document, as it is published. */
export interface ResourceMetadataDocument {
  /** The resource identifier, exactly as it was given. */
  readonly resource: string;
  /** The issuers whose access tokens are accepted. */
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  /** Access tokens are read only from the `Authorization` field (RFC 6750 §2.1). */
  readonly bearer_methods_supported: readonly ['header'];
  /** The signature algorithms of DPoP proofs (RFC 9449), if proofs are accepted. */
  readonly dpop_signing_alg_values_supported?: readonly string[];
  /** `true`: every token must be bound to a key of the client (RFC 9449). */
  readonly dpop_bound_access_tokens_required?: true;
  /** `true`: tokens that are bound to a client certificate (RFC 8705) are accepted. */
  readonly tls_client_certificate_bound_access_tokens?: true;
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
}

/**
 * Returns the members of the document that say how tokens are bound to their clients: by DPoP or by a client
 * certificate.
 */
export function boundTokenMembers(verifiers: readonly CredentialVerifier[]) {
  const methods = verifiers.filter(({ tokens }) => tokens !== undefined).map(({ confirmation }) => confirmation);
  const algorithms = methods.flatMap((method) => method?.dpop?.algorithms ?? []);
  return {
    ...(algorithms.length > 0 && { dpop_signing_alg_values_supported: [...new Set(algorithms)] }),
    ...(methods.every(isDpopRequired) && { dpop_bound_access_tokens_required: true as const }),
    ...(methods.some((method) => method?.mtls !== undefined) && {
      tls_client_certificate_bound_access_tokens: true as const,
    }),
  };
}

/**
 * Whether a verifier accepts only tokens that are bound to a key pair. A verifier that requires both DPoP and a
 * certificate accepts a token with either of the two, so it does not require DPoP.
 */
function isDpopRequired(method: ConfirmationMethods | undefined): boolean {
  return method?.dpop?.required === true && method.mtls?.required !== true;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Returns the URL of the metadata of a resource: the well-known path is inserted between host and path, and a slash
 * after the host is removed (RFC 9728 §3.1).
 */
export function metadataUrl(resource: URL): URL {
  const path = resource.pathname === '/' ? '' : resource.pathname;
  return new URL(`${WELL_KNOWN}${path}${resource.search}`, resource.origin);
}
