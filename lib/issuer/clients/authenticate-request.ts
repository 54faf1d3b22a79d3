/** Authenticates the client of a request, and limits failed attempts. */
import type { Clock } from '../../contracts/clock.js';
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import type { ReplayCache } from '../../contracts/replay-cache.js';
import type { AccessKeyClient } from '../../credentials/records/access-key-client.js';
import type { MaybeParsed } from '../../http/bounded-body.js';
import { clientNetwork } from '../../http/client-network.js';
import type { BruteForceLimiter } from '../brute-force-limiter.js';
import { TokenRequestError } from '../token-request-error.js';
import { authenticateClients } from './authenticate-client.js';
import { type ClientAuthentication, type PresentedClient, presentedClient } from './presented-client.js';
import { assertionReader } from './read-assertion.js';
import { ClientAssertions } from './verify-assertion.js';

/** An Express request. Its `ip` depends on the app setting `trust proxy`. */
export interface ClientHttpRequest extends MaybeParsed {
  readonly ip?: string | undefined;
}

/** How a client authenticated. */
export type AuthenticatedBy = PresentedClient['by'];

/** Authenticates the client of a request, or throws a `TokenRequestError`. */
export type AuthenticateRequest = (
  req: ClientHttpRequest,
  parameters: ReadonlyMap<string, string>,
) => Promise<{ readonly accessKey: AccessKeyClient; readonly by: AuthenticatedBy }>;

export interface ClientAuthenticationParts {
  readonly clientAuthentication: readonly ClientAuthentication[];
  /** The values that the claim `aud` of a client assertion may have. */
  readonly audiences: readonly string[];
  readonly accessKeys: AccessKeyResolver;
  readonly replay: ReplayCache;
  readonly limits: BruteForceLimiter;
  readonly clock: Clock;
}

/**
 * The reasons that count as a guess. Other refusals, such as that of a former secret or of a revoked access key, get 0
 * points: otherwise one process with an old secret could lock out the other clients of its network. They still call the
 * counter, so that response times do not show whether a secret was right.
 */
const GUESSES: ReadonlySet<string> = new Set(['unknown', 'wrong_secret']);

export function authenticateRequests(parts: ClientAuthenticationParts): AuthenticateRequest {
  const { clientAuthentication, audiences, accessKeys, replay, limits, clock } = parts;
  const rules = { clientAuthentication, readAssertion: assertionReader(audiences, clock) };
  const authenticateClient = authenticateClients({ accessKeys, assertions: new ClientAssertions(replay), clock });

  return async function authenticateRequest(req, parameters) {
    const client = presentedClient(req, parameters, rules);
    const address = req.ip ?? req.socket.remoteAddress;
    // Failed assertions are not counted, because nobody can guess a signature. If they were counted, an attacker could
    // lock out the other clients of the same network.
    if (client.by === 'assertion') return { accessKey: await authenticateClient(client, address), by: client.by };
    const network = clientNetwork(address);
    const hasFailed = await limits.assertOpen(client.id, network);
    try {
      const accessKey = await authenticateClient(client, address);
      if (hasFailed) await limits.reset(client.id, network);
      return { accessKey, by: client.by };
    } catch (error) {
      if (error instanceof TokenRequestError && error.code === 'invalid_client') {
        await limits.countFailure(client.id, network, GUESSES.has(error.reason) ? 1 : 0);
      }
      throw error;
    }
  };
}
