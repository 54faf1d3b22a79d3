import { type TokenDecision, tokenDecisions } from '../events/token-decision.js';
import type { TokenRequestError } from './token-request-error.js';

type Decision = Pick<TokenDecision, 'outcome' | 'status'> & Partial<TokenDecision>;

/** Returns a function that publishes the decisions of an endpoint of the issuer. */
export function decisionReporter(endpoint: TokenDecision['endpoint']) {
  function report(decision: Decision): void {
    if (!tokenDecisions.hasSubscribers) return;
    const nothing = { reason: undefined, clientId: undefined, authentication: undefined, scopes: undefined };
    tokenDecisions.publish({ endpoint, ...nothing, ...decision });
  }

  function refused({ code, reason, status }: TokenRequestError): void {
    report({ outcome: code === 'temporarily_unavailable' ? 'unavailable' : 'refused', status, reason });
  }

  return { report, refused };
}
