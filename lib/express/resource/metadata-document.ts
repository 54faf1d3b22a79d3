/** The document that publishes the metadata of a protected resource (RFC 9728 §2), and its URL. */
import type { ConfirmationMethods, CredentialVerifier } from '../../contracts/credential-verifier.js';

/** The metadata of a resource, as it is published in JSON. */
export interface ResourceMetadataDocument {
  /** The resource identifier, exactly as in the options. */
  readonly resource: string;
  /** The issuers whose access tokens are accepted. */
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  /** How a client can send a token: only in the `Authorization` header (RFC 6750 §2.1). */
  readonly bearer_methods_supported: readonly ['header'];
  /** The signature algorithms that DPoP proofs may use (RFC 9449); absent if DPoP is not accepted. */
  readonly dpop_signing_alg_values_supported?: readonly string[];
  /** `true`: only tokens that are bound to a key pair of the client are accepted (RFC 9449). */
  readonly dpop_bound_access_tokens_required?: true;
  /** `true`: tokens that are bound to a client certificate (RFC 8705) are accepted. */
  readonly tls_client_certificate_bound_access_tokens?: true;
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
}

/**
 * Returns the members of the document that describe how a token can be bound to its client: by DPoP, or by a client
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
 * Whether a verifier accepts only tokens that are bound to a key pair. If it requires DPoP and client certificates, a
 * token that is bound to a certificate is enough, so it does not require DPoP.
 */
function isDpopRequired(method: ConfirmationMethods | undefined): boolean {
  return method?.dpop?.required === true && method.mtls?.required !== true;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Returns the URL of the metadata of a resource. The well-known path is inserted between the host and the path of the
 * resource. The path `/` is left out (RFC 9728 §3.1).
 */
export function metadataUrl(resource: URL): URL {
  const path = resource.pathname === '/' ? '' : resource.pathname;
  return new URL(`${WELL_KNOWN}${path}${resource.search}`, resource.origin);
}
