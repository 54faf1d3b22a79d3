/** Obtains one access token from the token endpoint, with the client credentials grant (RFC 6749 §4.4). */

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../contracts/clock.js';
import { type AuthenticatingClient, addClientCredentials } from '../http/add-client-credentials.js';
import { FetchError, readJson, timeoutSignal } from '../http/fetch-json.js';
import { isB64token } from '../protocol/authorization-header.js';
import type { DpopProofs } from './dpop-proofs.js';
import { retryAfterOf } from './retry-after.js';
import type { RetryPause } from './retry-pause.js';
import { TokenClientError } from './token-client-error.js';

export interface TokenRequest extends AuthenticatingClient {
  readonly scopes: readonly string[];
  /** The API that the token is for (RFC 8707). */
  readonly resource: string | undefined;
  readonly proofs: DpopProofs | undefined;
  readonly pause: RetryPause;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** The time limit of one HTTP request in milliseconds. */
  readonly timeout: number;
}

/** What a token response says (RFC 6749 §5.1). */
export interface ObtainedToken {
  readonly accessToken: string;
  readonly scheme: 'Bearer' | 'DPoP';
  /** The lifetime in seconds; `undefined` if the server does not send it. */
  readonly expiresIn: number | undefined;
}

/**
 * Maximum seconds that the client waits for `Retry-After`. If the server asks the client to wait longer, the token
 * request fails at once.
 */
const MAX_RETRY_AFTER = 30;
/**
 * Matches an error code (RFC 6749 §5.2) that uses only the characters of the registered codes. Error messages of
 * keyward contain nothing else from a response, because a response may contain a secret.
 */
const ERROR_CODE = /^[a-z_]{1,64}$/;

interface Answer {
  readonly response: Response;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Requests one access token. The request is repeated once if the server answers 429 or 503 with a `Retry-After` of at
 * most 30 s. If the server still refuses it with a `Retry-After`, or with a longer one at first, a pause begins, in
 * which no request is sent.
 *
 * @throws TokenClientError
 */
export async function requestToken(endpoint: URL, request: TokenRequest): Promise<ObtainedToken> {
  const { clock, pause } = request;
  pause.throwIfPaused();
  let answer = await postWithNonce(endpoint, request);
  let seconds = retryAfterOf(answer.response, clock.now());
  if (seconds !== undefined && seconds <= MAX_RETRY_AFTER) {
    await delay(seconds * 1_000);
    answer = await postWithNonce(endpoint, request);
    seconds = retryAfterOf(answer.response, clock.now());
  }
  if (answer.response.status !== 200) {
    const error = refusal(answer);
    if (seconds !== undefined) pause.start(error, seconds);
    throw error;
  }
  return parseResponse(answer.body, request);
}

/** Posts a request, and repeats it once if the server requires a DPoP nonce (RFC 9449 §8). */
async function postWithNonce(endpoint: URL, request: TokenRequest): Promise<Answer> {
  const answer = await post(endpoint, request);
  const isNonceRequired = answer.body.error === 'use_dpop_nonce' && answer.response.headers.has('dpop-nonce');
  return isNonceRequired && request.proofs !== undefined ? post(endpoint, request) : answer;
}

async function post(endpoint: URL, request: TokenRequest): Promise<Answer> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (request.scopes.length > 0) form.set('scope', request.scopes.join(' '));
  if (request.resource !== undefined) form.set('resource', request.resource);
  const headers = new Headers({ accept: 'application/json' });
  await addClientCredentials(headers, form, request, request.clock.now());
  if (request.proofs !== undefined)
    headers.set('dpop', await request.proofs.proofFor({ method: 'POST', url: endpoint }));
  try {
    const signal = timeoutSignal(request.timeout);
    // Redirects are not followed: a redirect could send the client's secret to another host.
    const response = await request.fetch(endpoint, { method: 'POST', headers, body: form, redirect: 'manual', signal });
    request.proofs?.keepNonce({ url: endpoint }, response);
    return { response, body: await readBody(response) };
  } catch (cause) {
    const message = 'the token endpoint did not send a complete response; see the cause of this error';
    throw new TokenClientError('token_endpoint_unreachable', message, { cause });
  }
}

/**
 * Reads the JSON object of a response. If the body is something else, as on an error page of a proxy, the result is an
 * empty object.
 *
 * If a response with the status 200 is incomplete or takes too long, the promise rejects. For any other status, the
 * result is an empty object in this case too, because the status already shows that there is no token.
 */
async function readBody(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body = await readJson(response).catch((error: unknown) => {
    const isReceived = error instanceof SyntaxError || error instanceof FetchError;
    if (response.status === 200 && !isReceived) throw error;
  });
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

function refusal({ response: { status }, body: { error } }: Answer): TokenClientError {
  const code = typeof error === 'string' && ERROR_CODE.test(error) ? ` (${error})` : '';
  return new TokenClientError('token_request_refused', `the token endpoint returned status ${status}${code}`, {
    status,
  });
}

function parseResponse(body: Readonly<Record<string, unknown>>, { proofs }: TokenRequest): ObtainedToken {
  const { access_token: accessToken, token_type: type, expires_in: expiresIn } = body;
  const scheme = typeof type === 'string' ? SCHEMES.get(type.toLowerCase()) : undefined;
  if (typeof accessToken !== 'string' || !isB64token(accessToken) || scheme === undefined) {
    throw new TokenClientError(
      'invalid_token_response',
      'the response from the token endpoint is invalid; expected an access_token and a token_type of Bearer or DPoP',
    );
  }
  if (expiresIn !== undefined && !(typeof expiresIn === 'number' && expiresIn > 0)) {
    throw new TokenClientError(
      'invalid_token_response',
      'the response from the token endpoint has an invalid expires_in; expected a positive number of seconds',
    );
  }
  if (scheme === 'DPoP' && proofs === undefined) {
    const message =
      'the token endpoint issued a DPoP-bound token, but the option "dpop" of tokenClient is not true; set it to true';
    throw new TokenClientError('invalid_token_response', message);
  }
  if (scheme !== 'DPoP' && proofs !== undefined) {
    throw new TokenClientError(
      'dpop_not_supported',
      'the option "dpop" of tokenClient is true, but the token endpoint issued a token that is not DPoP-bound; check that the server supports DPoP',
    );
  }
  return { accessToken, scheme, expiresIn };
}

/** The token types in lower case, because case is ignored (RFC 6749 §7.1). */
const SCHEMES = new Map<string, ObtainedToken['scheme']>([
  ['bearer', 'Bearer'],
  ['dpop', 'DPoP'],
]);
