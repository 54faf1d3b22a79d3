/**
 * Finds the URL of an endpoint or key set in the metadata of an issuer. The metadata of RFC 8414 is tried first, then
 * the metadata of OpenID Connect Discovery.
 */
import { FetchError, fetchJson, timeoutSignal } from './fetch-json.js';
import { isInternalHost } from './internal-host.js';
import { secureUrl } from './secure-url.js';

export interface MetadataSource {
  readonly url: URL;
  /** The issuer from the options. `issuer` of the metadata must be exactly the same (RFC 8414 §3.3). */
  readonly issuer: string;
  readonly allowHttp: boolean;
  /** The time limit for the first document in milliseconds. It must leave time for the second one. */
  readonly firstTimeout: number;
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** The members of the metadata that are URLs (RFC 8414 §2). */
export type MetadataUrl = 'introspection_endpoint' | 'jwks_uri' | 'token_endpoint';

/**
 * Finds a URL in the metadata of an issuer. The metadata must name exactly this issuer, and keyward must be allowed to
 * connect to the URL.
 *
 * @throws FetchError if neither document can be used. The error says what is wrong with the first document. If the
 *   first document could not be fetched, except by a time-out, the error is about the second document.
 */
export async function urlFromIssuerMetadata(
  source: MetadataSource,
  member: MetadataUrl,
  signal: AbortSignal,
): Promise<URL> {
  // Do not use `AbortSignal.timeout` here: if only `AbortSignal.any` refers to its signal, Node may garbage-collect the
  // signal, and it never aborts.
  const first = AbortSignal.any([signal, timeoutSignal(source.firstTimeout)]);
  const metadata = await fetchJson(oauthMetadataUrl(source.url), first, source.fetch).catch(() => undefined);
  const found = metadata === undefined ? undefined : readUrl(metadata, member, source);
  if (found instanceof URL) return found;
  const fault = found ?? (first.aborted ? new FetchError('the request timed out') : undefined);
  try {
    const second = readUrl(await fetchJson(openidMetadataUrl(source.url), signal, source.fetch), member, source);
    if (second instanceof URL) return second;
    throw second;
  } catch (error) {
    throw fault ?? error;
  }
}

/**
 * Returns the URL of the metadata by RFC 8414 section 3.1: the well-known path is inserted before the path of the
 * issuer.
 */
function oauthMetadataUrl(issuer: URL): URL {
  return atPath(issuer, `/.well-known/oauth-authorization-server${pathOf(issuer)}`);
}

/**
 * Returns the URL of the metadata by OpenID Connect Discovery §4: the well-known path is appended to the path of the
 * issuer.
 */
function openidMetadataUrl(issuer: URL): URL {
  return atPath(issuer, `${pathOf(issuer)}/.well-known/openid-configuration`);
}

function pathOf(issuer: URL): string {
  return issuer.pathname.replace(/\/$/, '');
}

/**
 * Returns a copy of a URL with another path. `new URL(path, issuer)` would be unsafe: a path that starts with two
 * slashes names another host.
 */
function atPath(issuer: URL, path: string): URL {
  const url = new URL(issuer);
  url.pathname = path;
  return url;
}

/** Returns the URL in the metadata, or an error that says why the URL must not be used. */
function readUrl(metadata: unknown, member: MetadataUrl, source: MetadataSource): URL | FetchError {
  const { issuer, [member]: uri } = (metadata ?? {}) as { readonly [name: string]: unknown };
  if (issuer !== source.issuer) return new FetchError('the "issuer" in the metadata is not the configured issuer');
  const url = secureUrl(uri, source.allowHttp);
  if (url === undefined) return new FetchError(`the metadata has no valid ${member}; expected an https URL`);
  if (pointsInside(url, source))
    return new FetchError(`the ${member} in the metadata was refused, because it points to an internal host`);
  return url;
}

/**
 * Checks whether a URL in the metadata of a public issuer leads to an internal host. Otherwise an attacker who can
 * change the metadata could make this process send requests into its own network.
 */
function pointsInside(url: URL, { url: issuer, allowHttp }: MetadataSource): boolean {
  return !allowHttp && issuer.protocol === 'https:' && url.origin !== issuer.origin && isInternalHost(url);
}
