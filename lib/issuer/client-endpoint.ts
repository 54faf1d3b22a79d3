/**
 * Creates the handlers of the token, revocation and introspection endpoints (RFC 6749 §3.2, RFC 7009 §2, RFC 7662 §2).
 * At each of these endpoints, a client authenticates and posts a form.
 */
import type { ServerResponse } from 'node:http';
import type { AccessKeyClient } from '../credentials/records/access-key-client.js';
import type { AuthenticatedBy, AuthenticateRequest, ClientHttpRequest } from './clients/authenticate-request.js';
import { answer, answerRefusal } from './json-response.js';
import { readParameters } from './read-parameters.js';
import { SigningKeyError } from './signing-keys/signing-key.js';
import { noSigningKey, TokenRequestError } from './token-request-error.js';

export interface ClientEndpointParts {
  readonly realm: string;
  readonly authenticate: AuthenticateRequest;
  /** Maximum milliseconds to receive the body of a request. */
  readonly timeoutMs: number;
}

/** The access key of an authenticated client, and how the client authenticated. */
export interface AuthenticatedClient {
  readonly accessKey: AccessKeyClient;
  readonly authentication: AuthenticatedBy;
}

/** A request whose client was authenticated, with the parameters from its body. */
export interface ClientRequest extends AuthenticatedClient {
  readonly req: ClientHttpRequest;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The body of a 200 response, and headers that are added to the usual ones. */
export interface EndpointAnswer {
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointWork {
  /** Maximum size of the body of a request in bytes. Default: 8 KiB. */
  readonly maxBytes?: number;
  /** Makes the response to a request. To refuse the request, it throws a `TokenRequestError` or a `SigningKeyError`. */
  respond(request: ClientRequest): Promise<EndpointAnswer>;
  /**
   * Called for each refused request, to publish an event. `client` is `undefined` if the client was not authenticated.
   */
  refused(refusal: TokenRequestError, client: AuthenticatedClient | undefined): void;
}

/**
 * Creates the request handler of an endpoint. It authenticates the client, calls `respond`, and writes the response.
 */
export function clientEndpoint(parts: ClientEndpointParts, { maxBytes, respond, refused }: EndpointWork) {
  return function handleClientRequest(
    req: ClientHttpRequest,
    res: ServerResponse,
    next: (error?: unknown) => void,
  ): void {
    respondTo(req, res).catch(next);
  };

  /**
   * Checks and answers a request. A step that throws a `TokenRequestError` or a `SigningKeyError` refuses the request.
   */
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
      // A client that used the Authorization header must get a Basic challenge (RFC 6749 section 5.2). Other clients
      // get none: some client libraries do not show the error in the body of a response that has a challenge.
      const isChallenged = refusal.code === 'invalid_client' && req.headers.authorization !== undefined;
      answerRefusal(res, refusal, isChallenged ? `Basic realm="${parts.realm}"` : undefined);
    }
  }
}

/**
 * Converts an error to the refusal that the client gets. An error of another class is a bug: it is thrown again, and
 * the error handler of the app gets it.
 */
function refusalOf(error: unknown): TokenRequestError {
  if (error instanceof SigningKeyError) return noSigningKey();
  if (error instanceof TokenRequestError) return error;
  throw error;
}

function assertPost(method: string | undefined): void {
  if (method === 'POST') return;
  throw new TokenRequestError('invalid_request', 'method', { status: 405, headers: { Allow: 'POST' } });
}
