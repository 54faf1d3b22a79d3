import { type TokenDecision, tokenDecisions } from '../events/token-decision.js';
import type { AuthenticatedClient } from './client-endpoint.js';
import type { TokenRequestError } from './token-request-error.js';

type Decision = Pick<TokenDecision, 'outcome' | 'status'> & Partial<TokenDecision>;

/**
 * Returns two functions that publish the event `keyward:token` for an endpoint of the issuer: `report` for any
 * decision, and `refused` for a refused request.
 */
export function decisionReporter(endpoint: TokenDecision['endpoint']) {
  function report(decision: Decision): void {
    if (!tokenDecisions.hasSubscribers) return;
    const nothing = { reason: undefined, clientId: undefined, authentication: undefined, scopes: undefined };
    tokenDecisions.publish({ endpoint, ...nothing, ...decision });
  }

  function refused({ code, reason, status }: TokenRequestError, client: AuthenticatedClient | undefined): void {
    const outcome = code === 'temporarily_unavailable' ? 'unavailable' : 'refused';
    // Anyone can send any client ID, so the event contains the client ID only if the client was authenticated.
    report({ outcome, status, reason, clientId: client?.accessKey.id, authentication: client?.authentication });
  }

  return { report, refused };
}
