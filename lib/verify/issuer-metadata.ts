/** Where an issuer says that its keys are: RFC 8414, then OpenID Connect Discovery. */
import { FetchFault, fetchJson } from './fetch-json.js';
import { secureUrl } from './secure-url.js';

/** Milliseconds that the first document may take, so that there is time for the second. */
const FIRST_TIMEOUT = 1_000;

/**
 * Finds the `jwks_uri` of an issuer.
 *
 * @throws FetchFault where neither document can be had, or what was had is not the issuer's (RFC 8414 §3.3).
 */
export async function discoverJwksUri(issuer: URL, name: string, signal: AbortSignal): Promise<URL> {
  try {
    const first = AbortSignal.any([signal, AbortSignal.timeout(FIRST_TIMEOUT)]);
    return jwksUriOf(await fetchJson(oauthMetadataUrl(issuer), first), name);
  } catch {
    return jwksUriOf(await fetchJson(openidMetadataUrl(issuer), signal), name);
  }
}

/** RFC 8414 §3.1: the well-known text goes between host and path. */
function oauthMetadataUrl(issuer: URL): URL {
  return atPath(issuer, `/.well-known/oauth-authorization-server${pathOf(issuer)}`);
}

/** OpenID Connect Discovery §4: it is appended to the path. */
function openidMetadataUrl(issuer: URL): URL {
  return atPath(issuer, `${pathOf(issuer)}/.well-known/openid-configuration`);
}

function pathOf(issuer: URL): string {
  return issuer.pathname.replace(/\/$/, '');
}

/** Set as a path and never resolved as a reference: one that begins with two slashes would name another host. */
function atPath(issuer: URL, path: string): URL {
  const url = new URL(issuer);
  url.pathname = path;
  return url;
}

function jwksUriOf(metadata: unknown, name: string): URL {
  const { issuer, jwks_uri: uri } = (metadata ?? {}) as { issuer?: unknown; jwks_uri?: unknown };
  if (issuer !== name) throw new FetchFault('metadata of another issuer');
  const url = secureUrl(uri);
  if (url === undefined) throw new FetchFault('no jwks_uri that may be fetched');
  return url;
}
