/**
 * Finds URLs in the metadata of an issuer. The document of RFC 8414 is tried first, then that of OpenID Connect
 * Discovery.
 */
import { FetchError, fetchJson, timeoutSignal } from './fetch-json.js';
import { isInternalHost, secureUrl } from './secure-url.js';

/** The time limit of the first document in milliseconds. It leaves time for the second document. */
const FIRST_TIMEOUT = 1_000;

export interface MetadataSource {
  readonly url: URL;
  /** The issuer from the options. `issuer` of the metadata must be exactly the same (RFC 8414 §3.3). */
  readonly issuer: string;
  readonly allowHttp: boolean;
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** The names of metadata members that are URLs (RFC 8414 §2). */
export type MetadataUrl = 'introspection_endpoint' | 'jwks_uri' | 'token_endpoint';

/**
 * Finds a URL in the metadata of an issuer. A document is used only if it is from this issuer and its URL may be
 * fetched.
 *
 * @throws FetchError if neither document can be used. If the first document was served but refused, the error says why,
 *   because that explains more than a missing second document.
 */
export async function discoverUrl(source: MetadataSource, member: MetadataUrl, signal: AbortSignal): Promise<URL> {
  // Node may garbage-collect a signal of `AbortSignal.timeout` that only `AbortSignal.any` refers to, and the signal
  // then never aborts. `timeoutSignal` does not have this problem.
  const first = AbortSignal.any([signal, timeoutSignal(FIRST_TIMEOUT)]);
  const metadata = await fetchJson(oauthMetadataUrl(source.url), first, source.fetch).catch(() => undefined);
  const found = metadata === undefined ? undefined : readUrl(metadata, member, source);
  if (found instanceof URL) return found;
  try {
    const second = readUrl(await fetchJson(openidMetadataUrl(source.url), signal, source.fetch), member, source);
    if (second instanceof URL) return second;
    throw second;
  } catch (error) {
    throw found ?? error;
  }
}

/** Returns the URL of the metadata, with the well-known path between host and path (RFC 8414 section 3.1). */
function oauthMetadataUrl(issuer: URL): URL {
  return atPath(issuer, `/.well-known/oauth-authorization-server${pathOf(issuer)}`);
}

/** Returns the URL of the metadata, with the well-known path after the path (OpenID Connect Discovery §4). */
function openidMetadataUrl(issuer: URL): URL {
  return atPath(issuer, `${pathOf(issuer)}/.well-known/openid-configuration`);
}

function pathOf(issuer: URL): string {
  return issuer.pathname.replace(/\/$/, '');
}

/**
 * Replaces the path. It is not resolved as a reference, because a path that starts with two slashes would name another
 * host.
 */
function atPath(issuer: URL, path: string): URL {
  const url = new URL(issuer);
  url.pathname = path;
  return url;
}

/** Returns the URL, or an error that says why the metadata must not be used. */
function readUrl(metadata: unknown, member: MetadataUrl, source: MetadataSource): URL | FetchError {
  const { issuer, [member]: uri } = (metadata ?? {}) as { readonly [name: string]: unknown };
  if (issuer !== source.issuer) return new FetchError('the metadata names another issuer');
  const url = secureUrl(uri, source.allowHttp);
  if (url === undefined) return new FetchError(`the metadata has no ${member} with an https URL`);
  if (pointsInside(url, source)) return new FetchError(`the ${member} in the metadata is on an internal host`);
  return url;
}

/**
 * Checks whether a URL of a public issuer leads to an internal host. Otherwise an attacker who can change the metadata
 * could make this process connect to its internal network.
 */
function pointsInside(url: URL, { url: issuer, allowHttp }: MetadataSource): boolean {
  return !allowHttp && issuer.protocol === 'https:' && url.origin !== issuer.origin && isInternalHost(url);
}
