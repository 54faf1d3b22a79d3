/** Handles `POST /connect/revocation` (RFC 7009). */
import { BoundedLoader } from '../../cache/bounded-loader.js';
import { FailedLookup } from '../../cache/cache-entries.js';
import type { Subject } from '../../cache/invalidation-scope.js';
import type { Clock } from '../../contracts/clock.js';
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import type { TokenDecision } from '../../events/token-decision.js';
import type { ClientRequest, EndpointAnswer, EndpointWork } from '../client-endpoint.js';
import { MAX_BYTES_WITH_TOKEN } from '../read-parameters.js';
import { decisionReporter } from '../report-decision.js';
import { RETRY_SOON, TokenRequestError } from '../token-request-error.js';
import type { ReadIssuedToken } from './read-issued-token.js';

/** A store of access keys whose tokens can be revoked one by one. */
export type RevokingResolver = AccessKeyResolver & Required<Pick<AccessKeyResolver, 'revokeToken'>>;

export interface RevocationParts {
  readonly readToken: ReadIssuedToken;
  readonly accessKeys: RevokingResolver;
  readonly clock: Clock;
}

const TIMEOUT_MS = 5_000;
const MAX_REVOCATIONS = 100;
/**
 * Milliseconds after `exp` for which a token can still be revoked, because the clock of a resource server may be
 * behind.
 */
const AFTER_EXPIRY = 300_000;
const NOTHING: EndpointAnswer = Object.freeze({ body: Object.freeze({}) });

interface Revocation {
  readonly subject: { readonly id: string; readonly account: string };
  readonly jti: string;
  readonly expiresAt: Date;
}

/** Handles the revocation requests of authenticated clients. */
export function revocation({ readToken, accessKeys, clock }: RevocationParts): EndpointWork {
  const { report, refused } = decisionReporter('revocation');
  const revocations = new BoundedLoader<Revocation, Subject, Subject | FailedLookup>({
    of: 'issuer',
    timeout: TIMEOUT_MS,
    maxLookups: MAX_REVOCATIONS,
    isShared: true,
    clock,
    async lookUp({ subject, jti, expiresAt }) {
      await accessKeys.revokeToken(subject.id, jti, expiresAt);
      return subject;
    },
    found: (_key, subject) => subject,
    failed: (_key, reason) => new FailedLookup(reason),
  });

  async function respond({ parameters, accessKey, authentication }: ClientRequest): Promise<EndpointAnswer> {
    const text = parameters.get('token');
    if (text === undefined) throw new TokenRequestError('invalid_request', 'no_token');
    // A token with an `iat` in the future can be revoked too: the clock of the instance that issued it may be ahead.
    const token = await readToken(text, clock.now() - AFTER_EXPIRY, Number.POSITIVE_INFINITY);
    // Revoking an invalid token succeeds, because the purpose of the request is already achieved (RFC 7009 §2.2).
    if (token === undefined) return respondTo(accessKey.id, authentication);
    const { clientId, tokenId, expiresAt } = token.claims;
    if (clientId !== accessKey.id) throw new TokenRequestError('unauthorized_client', 'token_of_another_client');
    if (tokenId !== undefined) await revoke({ id: clientId, account: accessKey.account }, tokenId, expiresAt);
    return respondTo(clientId, authentication);
  }

  /**
   * Stores a revocation. The promise resolves when it is stored. If that fails, the response is 503, after which the
   * client must assume that the token still exists (RFC 7009 §2.2.1).
   */
  async function revoke(subject: Revocation['subject'], jti: string, exp: number): Promise<void> {
    const expiresAt = new Date(exp * 1_000);
    const result = await revocations.load(`${subject.id} ${jti}`, { subject, jti, expiresAt });
    if (!(result instanceof FailedLookup)) return;
    throw new TokenRequestError('temporarily_unavailable', 'revocation_failed', RETRY_SOON);
  }

  function respondTo(clientId: string, authentication: TokenDecision['authentication']): EndpointAnswer {
    report({ outcome: 'revoked', status: 200, clientId, authentication });
    return NOTHING;
  }

  return { maxBytes: MAX_BYTES_WITH_TOKEN, respond, refused };
}
