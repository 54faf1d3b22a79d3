/** The options of `tokenClient`: their types, and the function that validates them and prepares token requests. */

import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import type { ClientAuthentication } from '../http/add-client-credentials.js';
import { type ClientPrivateKey, type PrivateKeyInput, readPrivateKey } from '../http/client-private-key.js';
import { timeoutSignal } from '../http/fetch-json.js';
import { SECURE_PLAIN_URL, secureUrl } from '../http/secure-url.js';
import { urlFromIssuerMetadata } from '../http/url-from-issuer-metadata.js';
import {
  flag,
  integer,
  method,
  type Option,
  type OptionTable,
  optional,
  readTable,
  text,
} from '../options/option-table.js';
import { isScopeToken, SCOPE_CHARACTERS } from '../protocol/scope.js';
import { DpopProofs } from './dpop-proofs.js';
import type { TokenRequest } from './request-token.js';
import { RetryPause } from './retry-pause.js';
import { TokenClientError } from './token-client-error.js';

/**
 * Options of `tokenClient`. Exactly one of `issuer` and `tokenEndpoint` is required, and exactly one of `clientSecret`
 * and `privateKey`.
 */
export interface TokenClientOptions {
  /**
   * The URL of the issuer, exactly as in its metadata (RFC 8414). The client reads the URL of the token endpoint from
   * the metadata.
   */
  readonly issuer?: string | undefined;
  /**
   * The https URL of the token endpoint. With this option, no metadata is read, and this URL is the `aud` of client
   * assertions.
   */
  readonly tokenEndpoint?: string | URL | undefined;
  readonly clientId: string;
  /** The client secret, sent with HTTP Basic (RFC 6749 section 2.3.1). */
  readonly clientSecret?: string | undefined;
  /** The private key for `private_key_jwt` (RFC 7523): a JWK, a `KeyObject` or PEM. It never leaves this process. */
  readonly privateKey?: PrivateKeyInput | undefined;
  /**
   * The `kid` of the private key, for the header of client assertions. Default: the `kid` of the JWK, if there is one.
   */
  readonly keyId?: string | undefined;
  /** The scopes to request. Default: none, so the issuer grants the default scopes of the client. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The API that the token is for (RFC 8707). The issuer of `createIssuer` ignores it. Default: the request names no
   * API.
   */
  readonly resource?: string | undefined;
  /**
   * Whether tokens are bound to a key pair of this client (RFC 9449). If `true`, each request has a DPoP proof, and a
   * Bearer token from the issuer is an error. If `false`, a DPoP-bound token is an error. Default: `false`.
   */
  readonly dpop?: boolean | undefined;
  /**
   * Whether the issuer and APIs may have http URLs of other machines. With `true`, anyone who can read the network
   * traffic sees the client secret and the tokens. Default: `false`.
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Time limit in milliseconds of one request to the token endpoint, and of reading the metadata: 1 to 60,000. Default:
   * 10,000. If a token request is sent again, for a nonce or after a `Retry-After` of at most 30 seconds, the limit
   * starts again. For requests to an API, use `signal`.
   */
  readonly timeout?: number | undefined;
  /** The function that sends all requests, to the issuer and to APIs. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const FACTORY = 'tokenClient';

interface Issuer {
  readonly url: URL;
  readonly text: string;
}

interface TokenEndpoint {
  /** The `aud` of client assertions (RFC 7523 section 3). */
  readonly audience: string;
  find(signal: AbortSignal, send: typeof fetch | undefined): Promise<URL>;
}

const url: Option<URL> = (options, name) => {
  const value = secureUrl(options.raw(name), options.flag('allowHttp', false));
  if (value === undefined) throw options.wrongText(name, SECURE_PLAIN_URL);
  return value;
};

/** Reads the issuer as a URL and as text: `issuer` in the metadata must equal this text exactly. */
const issuer: Option<Issuer> = (options, name) => ({ url: url(options, name), text: options.text(name) });

const privateKey: Option<ClientPrivateKey> = (options, name) => {
  const key = readPrivateKey(options.raw(name), optional(text)(options, 'keyId'));
  if (key === undefined) throw options.mistake(name, 'a private key for signing, as a JWK, a KeyObject or PEM');
  return key;
};

const scopes: Option<readonly string[]> = (options, name) => {
  const values = options.raw(name) ?? [];
  if (!Array.isArray(values) || !values.every(isScopeToken))
    throw options.wrongList(name, `a list of scopes that consist of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3)`);
  return Object.freeze([...values]);
};

const OPTIONS = {
  issuer: optional(issuer),
  tokenEndpoint: optional(url),
  clientId: text,
  clientSecret: optional(text),
  privateKey: optional(privateKey),
  keyId: optional(text),
  scopes,
  resource: optional(text),
  dpop: flag(false),
  allowHttp: flag(false),
  timeout: integer(10_000, 1, 60_000),
  fetch: optional(method<typeof fetch>()),
  clock: clockOption,
} satisfies OptionTable<TokenClientOptions>;

/** Checks the options, and computes the values that all requests share. */
export function readOptions(given: TokenClientOptions) {
  const options = readTable(FACTORY, given, OPTIONS);
  const { issuer, tokenEndpoint, clientId, scopes, resource, dpop, allowHttp, timeout, clock } = options;
  const endpoint = endpointOf(issuer, tokenEndpoint, allowHttp, timeout);
  const request: TokenRequest = {
    clientId,
    authentication: authenticationOf(options.clientSecret, options.privateKey, endpoint.audience),
    scopes,
    resource,
    proofs: dpop ? new DpopProofs(() => clock.now()) : undefined,
    pause: new RetryPause(clock),
    clock,
    fetch: options.fetch ?? fetch,
    timeout,
  };
  return { request, allowHttp, findEndpoint: () => endpoint.find(timeoutSignal(timeout), options.fetch) };
}

function endpointOf(
  issuer: Issuer | undefined,
  tokenEndpoint: URL | undefined,
  allowHttp: boolean,
  timeout: number,
): TokenEndpoint {
  if (issuer === undefined && tokenEndpoint !== undefined) {
    return { audience: tokenEndpoint.href, find: async () => tokenEndpoint };
  }
  if (issuer === undefined || tokenEndpoint !== undefined) throw notExactlyOne('issuer', 'tokenEndpoint');
  const find: TokenEndpoint['find'] = async (signal, send) => {
    try {
      const metadata = { url: issuer.url, issuer: issuer.text, allowHttp, firstTimeout: timeout / 2, fetch: send };
      return await urlFromIssuerMetadata(metadata, 'token_endpoint', signal);
    } catch (cause) {
      const message = 'the metadata of the issuer could not be fetched, or has no valid token_endpoint';
      throw new TokenClientError('token_endpoint_unreachable', message, { cause });
    }
  };
  return { audience: issuer.text, find };
}

/** @param audience - The `aud` of client assertions. */
function authenticationOf(
  secret: string | undefined,
  signingKey: ClientPrivateKey | undefined,
  audience: string,
): ClientAuthentication {
  if (secret !== undefined && signingKey === undefined) return { secret };
  if (secret === undefined && signingKey !== undefined) return { signingKey, audience };
  throw notExactlyOne('clientSecret', 'privateKey');
}

function notExactlyOne(one: string, other: string): TypeError {
  return new TypeError(`${FACTORY}: set exactly one of the options "${one}" and "${other}"`);
}
