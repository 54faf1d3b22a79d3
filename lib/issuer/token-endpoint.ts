/** `POST /connect/token` (RFC 6749 §3.2 and §4.4, spec section 4.1). */
import type { ServerResponse } from 'node:http';
import { type TokenDecision, tokenDecisions } from '../events/token-decision.js';
import { answer, answerRefusal } from './answer.js';
import type { AuthenticateClient } from './authenticate-client.js';
import type { MaybeParsed } from './bounded-body.js';
import { grantScopes } from './grant-scopes.js';
import type { GuessLimits } from './guess-limits.js';
import type { TokenResponse } from './issue-token.js';
import { networkOf } from './network-of.js';
import { type ClientAuthentication, type PresentedClient, presentedClient } from './presented-client.js';
import { readParameters } from './read-parameters.js';
import { SigningKeyFault } from './signing-key.js';
import { noSigningKey, TokenRefusal } from './token-refusal.js';

export interface TokenEndpointParts {
  readonly realm: string;
  readonly clientAuthentication: readonly ClientAuthentication[];
  readonly limits: GuessLimits;
  readonly authenticateClient: AuthenticateClient;
  readonly issueToken: (clientId: string, scopes: readonly string[]) => Promise<TokenResponse>;
  /** Milliseconds that a body may take. */
  readonly patience: number;
}

/** A request, as Express hands it on: with the address that its `trust proxy` setting believes. */
interface TokenRequest extends MaybeParsed {
  readonly ip?: string | undefined;
}

/** Makes the handler of the token endpoint. */
export function tokenEndpoint(parts: TokenEndpointParts) {
  return function handleTokenRequest(req: TokenRequest, res: ServerResponse, next: (error?: unknown) => void): void {
    respond(req)
      .then(
        (issued) => answer(res, 200, issued),
        (error) => refuse(req, res, refusalOf(error)),
      )
      .catch(next);
  };

  /** The steps, in order. Each throws a `TokenRefusal` where the request goes no further. */
  async function respond(req: TokenRequest): Promise<TokenResponse> {
    assertPost(req.method);
    const parameters = await readParameters(req, parts.patience);
    const client = presentedClient(req, parameters, parts.clientAuthentication);
    const accessKey = await authenticate(client, req.ip ?? req.socket.remoteAddress);
    assertGrantType(parameters.get('grant_type'));
    const scopes = grantScopes(accessKey, parameters.get('scope'));
    const issued = await parts.issueToken(accessKey.id, scopes);
    report({ outcome: 'issued', status: 200, clientId: accessKey.id, authentication: client.by, scopes });
    return issued;
  }

  async function authenticate(client: PresentedClient, address: string | undefined) {
    const network = networkOf(address);
    const hasFailed = await parts.limits.assertOpen(client.id, network);
    try {
      const accessKey = await parts.authenticateClient(client, address);
      if (hasFailed) await parts.limits.forgive(client.id, network);
      return accessKey;
    } catch (error) {
      const guessed = error instanceof TokenRefusal && error.code === 'invalid_client';
      if (guessed) await parts.limits.countFailure(client.id, network);
      throw error;
    }
  }

  function refuse(req: TokenRequest, res: ServerResponse, refusal: TokenRefusal): void {
    const { code, reason, status } = refusal;
    report({ outcome: code === 'temporarily_unavailable' ? 'unavailable' : 'refused', status, reason });
    // RFC 6749 §5.2: the challenge matches the scheme that the client used; some clients hide the error behind any other.
    const isChallenged = code === 'invalid_client' && req.headers.authorization !== undefined;
    answerRefusal(res, refusal, isChallenged ? `Basic realm="${parts.realm}"` : undefined);
  }
}

/** What is no refusal is a mistake in the program: it goes on, to the error handler of the app. */
function refusalOf(error: unknown): TokenRefusal {
  if (error instanceof SigningKeyFault) return noSigningKey();
  if (error instanceof TokenRefusal) return error;
  throw error;
}

function assertPost(method: string | undefined): void {
  if (method === 'POST') return;
  throw new TokenRefusal('invalid_request', 'method', { status: 405, headers: { Allow: 'POST' } });
}

function assertGrantType(grantType: string | undefined): void {
  if (grantType === undefined) throw new TokenRefusal('invalid_request', 'no_grant_type');
  if (grantType !== 'client_credentials') throw new TokenRefusal('unsupported_grant_type', 'grant_type');
}

function report(decision: Pick<TokenDecision, 'outcome' | 'status'> & Partial<TokenDecision>): void {
  if (!tokenDecisions.hasSubscribers) return;
  const nothing = { reason: undefined, clientId: undefined, authentication: undefined, scopes: undefined };
  tokenDecisions.publish({ ...nothing, ...decision });
}
