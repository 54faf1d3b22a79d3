/** Handles `POST /connect/introspect` (RFC 7662). */
import type { Clock } from '../../contracts/clock.js';
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import { type OptionTable, text, withDefault } from '../../options/option-table.js';
import { formatScope } from '../../protocol/scope.js';
import { own } from '../../protocol/strict-json.js';
import { AccessKeys } from '../../tokens/access-key-lookup.js';
import type { ClientRequest, EndpointAnswer, EndpointWork } from '../client-endpoint.js';
import { decisionReporter } from '../decision-reporter.js';
import { MAX_BYTES_WITH_TOKEN } from '../read-parameters.js';
import { RETRY_SOON, TokenRequestError } from '../token-request-error.js';
import { confirmationOf, type IssuedToken, type ReadIssuedToken } from './read-issued-token.js';

/** The option `introspection` of `createIssuer`. */
export interface IntrospectionOptions {
  /** The scope that an access key needs to introspect tokens. Default: `'tokens:introspect'`. */
  readonly scope?: string | undefined;
}

export const INTROSPECTION_OPTIONS = {
  scope: withDefault(text, 'tokens:introspect'),
} satisfies OptionTable<IntrospectionOptions>;

export interface IntrospectionParts {
  readonly scope: string;
  readonly readToken: ReadIssuedToken;
  readonly accessKeys: AccessKeyResolver;
  readonly clock: Clock;
}

/** The response for a token that is not active. It gives no reason (RFC 7662 §2.2). */
const INACTIVE = Object.freeze({ active: false });
const REGISTERED = ['iss', 'aud', 'sub', 'jti', 'iat', 'exp', 'cnf'];

/** Handles the introspection requests of authenticated clients. */
export function introspection({ scope, readToken, accessKeys: resolver, clock }: IntrospectionParts): EndpointWork {
  const { report, refused } = decisionReporter('introspection');
  const resolveAccessKey = resolver.resolveAccessKey.bind(resolver);
  // Access keys are not cached here: the response must show at once that a token or an access key was revoked.
  const accessKeys = new AccessKeys({
    resolver: { resolveAccessKey },
    environment: undefined,
    bounds: undefined,
    clock,
  });

  async function respond({ parameters, accessKey: caller, authentication }: ClientRequest): Promise<EndpointAnswer> {
    if (!caller.scopes.includes(scope)) throw new TokenRequestError('insufficient_scope', 'scope_not_held');
    const presented = parameters.get('token');
    if (presented === undefined) throw new TokenRequestError('invalid_request', 'no_token');
    const token = await readToken(presented, clock.now());
    const body = token === undefined ? INACTIVE : await stateOf(token, caller.environment);
    report({ outcome: 'introspected', status: 200, clientId: caller.id, authentication });
    return { body };
  }

  async function stateOf(token: IssuedToken, environment: string): Promise<object> {
    const found = await accessKeys.find(token.claims);
    if ('outcome' in found) {
      if (found.outcome === 'refused') return INACTIVE;
      throw new TokenRequestError('temporarily_unavailable', found.reason, RETRY_SOON);
    }
    // The caller is a resource server of one environment, live or sandbox, and must not accept a token of the other
    // environment.
    if (found.facts.environment !== environment) return INACTIVE;
    const scopes = token.claims.scopes.filter((name) => found.facts.scopes.includes(name));
    return {
      active: true,
      client_id: token.claims.clientId,
      scope: formatScope(scopes),
      token_type: tokenTypeOf(token),
      ...Object.fromEntries(REGISTERED.map((name) => [name, own(token.payload, name)])),
    };
  }

  return { maxBytes: MAX_BYTES_WITH_TOKEN, respond, refused };
}

/** Returns the `token_type`: `DPoP` for a token that is bound to a DPoP key (RFC 9449 §6.2), otherwise `Bearer`. */
function tokenTypeOf(token: IssuedToken): 'Bearer' | 'DPoP' {
  const confirmation = confirmationOf(token);
  const isDpop = typeof confirmation === 'object' && confirmation !== null && Object.hasOwn(confirmation, 'jkt');
  return isDpop ? 'DPoP' : 'Bearer';
}
