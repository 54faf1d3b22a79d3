/** Asks the introspection endpoint about a token (RFC 7662 §2). */
import type { Clock } from '../../contracts/clock.js';
import { type AuthenticatingClient, addClientCredentials } from '../../http/add-client-credentials.js';
import { postForm, timeoutSignal } from '../../http/fetch-json.js';
import type { JsonObject } from '../../protocol/strict-json.js';

export interface IntrospectionCall {
  /** Returns the URL of the endpoint: from the options, or from the metadata of the issuer. */
  readonly locate: (signal: AbortSignal) => Promise<URL>;
  readonly client: AuthenticatingClient;
  /** Milliseconds after which a call of the endpoint fails. */
  readonly timeout: number;
  readonly clock: Clock;
}

/** Asks about one token. It rejects with a `FetchError` unless the response is 200 with a JSON object. */
export type Introspect = (token: string) => Promise<JsonObject>;

/** Maximum milliseconds to find the endpoint in the metadata, which may need two documents (RFC 8414, then OpenID). */
export const DISCOVERY_TIMEOUT = 5_000;
/**
 * For this time in milliseconds, a URL from the metadata is kept even if calls of the endpoint fail. After a later
 * failure, the next call reads the metadata again, because the endpoint may have moved.
 */
const LOCATE_AGAIN_AFTER = 60_000;

export function introspectionEndpoint({ locate, client, timeout, clock }: IntrospectionCall): Introspect {
  let located: { readonly url: Promise<URL>; readonly at: number } | undefined;

  /**
   * Returns the URL of the endpoint. Calls at the same time read the metadata only once. If this fails, the next call
   * tries again.
   */
  function endpoint(): Promise<URL> {
    if (located === undefined) {
      const url = locate(timeoutSignal(DISCOVERY_TIMEOUT));
      located = { url, at: clock.monotonic() };
      url.catch(() => {
        located = undefined;
      });
    }
    return located.url;
  }

  return async function introspect(token) {
    const url = await endpoint();
    const headers = new Headers();
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
    await addClientCredentials(headers, form, client, clock.now());
    try {
      return await postForm(url, headers, form, timeoutSignal(timeout));
    } catch (error) {
      if (located !== undefined && clock.monotonic() - located.at >= LOCATE_AGAIN_AFTER) located = undefined;
      throw error;
    }
  };
}
