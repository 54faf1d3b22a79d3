/** Handles `POST /connect/token` (RFC 6749 §3.2 and §4.4, docs/spec.md §4.1). */
import type { ClientRequest, EndpointAnswer, EndpointWork } from './client-endpoint.js';
import { decisionReporter } from './decision-reporter.js';
import { grantScopes } from './grant-scopes.js';
import type { IssueToken } from './issue-token.js';
import type { ConstrainSender } from './sender-constraint.js';
import { TokenRequestError } from './token-request-error.js';

export interface TokenEndpointParts {
  readonly issueToken: IssueToken;
  readonly constrainSender: ConstrainSender;
}

/** Handles the token requests of authenticated clients. */
export function tokenEndpoint({ issueToken, constrainSender }: TokenEndpointParts): EndpointWork {
  const { report, refused } = decisionReporter('token');

  async function respond({ req, parameters, accessKey, authentication }: ClientRequest): Promise<EndpointAnswer> {
    assertGrantType(parameters.get('grant_type'));
    const scopes = grantScopes(accessKey, parameters.get('scope'));
    // The DPoP proof is checked last, because the check marks the proof as used. A request that is refused for another
    // reason can then be sent again with the same proof.
    const { cnf, nonce } = await constrainSender(req, accessKey);
    const issued = await issueToken(accessKey, scopes, cnf);
    report({ outcome: 'issued', status: 200, clientId: accessKey.id, authentication, scopes });
    return nonce === undefined ? { body: issued } : { body: issued, headers: { 'DPoP-Nonce': nonce } };
  }

  return { respond, refused };
}

function assertGrantType(grantType: string | undefined): void {
  if (grantType === undefined) throw new TokenRequestError('invalid_request', 'no_grant_type');
  if (grantType !== 'client_credentials') throw new TokenRequestError('unsupported_grant_type', 'grant_type');
}
