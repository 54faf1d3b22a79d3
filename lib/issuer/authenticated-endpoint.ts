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

/** A request of a client that was authenticated. */
export interface ClientRequest {
  readonly req: ClientHttpRequest;
  readonly parameters: ReadonlyMap<string, string>;
  readonly accessKey: AccessKeyGrant;
  readonly authentication: AuthenticatedBy;
}

/** The body of a 200 response, and its headers in addition to those that every response has. */
export interface EndpointAnswer {
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointWork {
  /** Responds to a request. To refuse the request, it throws a `TokenRequestError`. */
  respond(request: ClientRequest): Promise<EndpointAnswer>;
  /** Called for each refusal, so that the endpoint can report it. */
  refused(refusal: TokenRequestError): void;
}

/** Creates the handler of an endpoint. */
export function clientEndpoint(parts: ClientEndpointParts, { respond, refused }: EndpointWork) {
  return function handleClientRequest(
    req: ClientHttpRequest,
    res: ServerResponse,
    next: (error?: unknown) => void,
  ): void {
    respondTo(req)
      .then(
        ({ body, headers }) => answer(res, 200, body, headers),
        (error) => refuse(req, res, refusalOf(error)),
      )
      .catch(next);
  };

  /** Runs the steps in order. To refuse the request, a step throws a `TokenRequestError`. */
  async function respondTo(req: ClientHttpRequest): Promise<EndpointAnswer> {
    assertPost(req.method);
    const parameters = await readParameters(req, parts.timeoutMs);
    const { accessKey, by } = await parts.authenticate(req, parameters);
    return await respond({ req, parameters, accessKey, authentication: by });
  }

  function refuse(req: ClientHttpRequest, res: ServerResponse, refusal: TokenRequestError): void {
    refused(refusal);
    // The challenge must match the scheme that the client used (RFC 6749 §5.2); otherwise some clients hide the error.
    const isChallenged = refusal.code === 'invalid_client' && req.headers.authorization !== undefined;
    answerRefusal(res, refusal, isChallenged ? `Basic realm="${parts.realm}"` : undefined);
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
