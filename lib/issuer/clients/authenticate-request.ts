/** Authenticates the client of a request, and limits failed attempts. */
import type { Clock } from '../../contracts/clock.js';
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import type { ReplayCache } from '../../contracts/replay-cache.js';
import type { AccessKeyGrant } from '../../credentials/records/access-key-grant.js';
import type { MaybeParsed } from '../../http/bounded-body.js';
import { clientNetwork } from '../../http/client-network.js';
import type { BruteForceLimiter } from '../brute-force-limiter.js';
import { TokenRequestError } from '../token-request-error.js';
import { authenticateClients } from './authenticate-client.js';
import { type ClientAuthentication, type PresentedClient, presentedClient } from './presented-client.js';
import { assertionReader } from './read-assertion.js';
import { ClientAssertions } from './verify-assertion.js';

/** A request of Express. Its `ip` depends on the setting `trust proxy`. */
export interface ClientHttpRequest extends MaybeParsed {
  readonly ip?: string | undefined;
}

/** How a client authenticated. */
export type AuthenticatedBy = PresentedClient['by'];

/** Authenticates the client of a request, or throws a `TokenRequestError`. */
export type AuthenticateRequest = (
  req: ClientHttpRequest,
  parameters: ReadonlyMap<string, string>,
) => Promise<{ readonly accessKey: AccessKeyGrant; readonly by: AuthenticatedBy }>;

export interface ClientAuthenticationParts {
  readonly clientAuthentication: readonly ClientAuthentication[];
  /** The audiences that an assertion may have. */
  readonly audiences: readonly string[];
  readonly accessKeys: AccessKeyResolver;
  readonly replay: ReplayCache;
  readonly limits: BruteForceLimiter;
  readonly clock: Clock;
}

/** The reasons that count as a brute-force attempt. */
const GUESSES = ['unknown', 'wrong_secret'];

export function authenticateRequests(parts: ClientAuthenticationParts): AuthenticateRequest {
  const { clientAuthentication, audiences, accessKeys, replay, limits, clock } = parts;
  const rules = { clientAuthentication, readAssertion: assertionReader(audiences, clock) };
  const authenticateClient = authenticateClients({ accessKeys, assertions: new ClientAssertions(replay), clock });

  return async function authenticateRequest(req, parameters) {
    const client = presentedClient(req, parameters, rules);
    const address = req.ip ?? req.socket.remoteAddress;
    // Assertions have no limit: a signature cannot be guessed, and attackers could use a limit to lock out clients of
    // their network.
    if (client.by === 'assertion') return { accessKey: await authenticateClient(client, address), by: client.by };
    const network = clientNetwork(address);
    const hasFailed = await limits.assertOpen(client.id, network);
    try {
      const accessKey = await authenticateClient(client, address);
      if (hasFailed) await limits.reset(client.id, network);
      return { accessKey, by: client.by };
    } catch (error) {
      // Only guesses count: not a former secret, and not the secret of a key that has ended. Otherwise one process with
      // an old secret would lock out other clients of its network.
      const isGuess = error instanceof TokenRequestError && GUESSES.includes(error.reason);
      if (isGuess) await limits.countFailure(client.id, network);
      throw error;
    }
  };
}
