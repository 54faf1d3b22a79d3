/** Creates the endpoints at which clients authenticate and post a form (RFC 6749 §3.2, RFC 7009 §2, RFC 7662 §2). */
import type { ServerResponse } from 'node:http';
import type { AccessKeyGrant } from '../credentials/records/access-key-grant.js';
import type { AuthenticatedBy, AuthenticateRequest, ClientHttpRequest } from './clients/authenticate-request.js';
import { answer, answerRefusal } from './json-response.js';
import { readParameters } from './read-parameters.js';
import { SigningKeyError } from './signing-keys/signing-key.js';
import { noSigningKey, TokenRequestError } from './token-request-error.js';

export interface ClientEndpointParts {
  readonly realm: string;
  readonly authenticate: AuthenticateRequest;
  /** Maximum milliseconds to receive a body. */
  readonly timeoutMs: number;
}

/** A client that was authenticated. */
export interface AuthenticatedClient {
  readonly accessKey: AccessKeyGrant;
  readonly authentication: AuthenticatedBy;
}

/** A request of a client that was authenticated. */
export interface ClientRequest extends AuthenticatedClient {
  readonly req: ClientHttpRequest;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The body of a 200 response, and its headers in addition to those that every response has. */
export interface EndpointAnswer {
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointWork {
  /** Maximum size of a request in bytes. Default: 8 KiB. */
  readonly maxBytes?: number;
  /** Responds to a request. To refuse the request, it throws a `TokenRequestError` or a `SigningKeyError`. */
  respond(request: ClientRequest): Promise<EndpointAnswer>;
  /** Called for each refusal, so that the endpoint can report it. `client`: `undefined` if it was not authenticated. */
  refused(refusal: TokenRequestError, client: AuthenticatedClient | undefined): void;
}

/** Creates the handler of an endpoint. */
export function clientEndpoint(parts: ClientEndpointParts, { maxBytes, respond, refused }: EndpointWork) {
  return function handleClientRequest(
    req: ClientHttpRequest,
    res: ServerResponse,
    next: (error?: unknown) => void,
  ): void {
    respondTo(req, res).catch(next);
  };

  /** Runs the steps in order. To refuse the request, a step throws a `TokenRequestError`. */
  async function respondTo(req: ClientHttpRequest, res: ServerResponse): Promise<void> {
    let client: AuthenticatedClient | undefined;
    try {
      assertPost(req.method);
      const parameters = await readParameters(req, parts.timeoutMs, maxBytes);
      const { accessKey, by: authentication } = await parts.authenticate(req, parameters);
      client = { accessKey, authentication };
      const { body, headers } = await respond({ req, parameters, accessKey, authentication });
      answer(res, 200, body, headers);
    } catch (error) {
      const refusal = refusalOf(error);
      refused(refusal, client);
      // The challenge must match the scheme that the client used (RFC 6749 section 5.2). Otherwise some clients hide
      // the error.
      const isChallenged = refusal.code === 'invalid_client' && req.headers.authorization !== undefined;
      answerRefusal(res, refusal, isChallenged ? `Basic realm="${parts.realm}"` : undefined);
    }
  }
}

/** Returns the refusal. Errors of other classes are bugs, and the error handler of the app gets them. */
function refusalOf(error: unknown): TokenRequestError {
  if (error instanceof SigningKeyError) return noSigningKey();
  if (error instanceof TokenRequestError) return error;
  throw error;
}

function assertPost(method: string | undefined): void {
  if (method === 'POST') return;
  throw new TokenRequestError('invalid_request', 'method', { status: 405, headers: { Allow: 'POST' } });
}
