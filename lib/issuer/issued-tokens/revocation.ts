/** Handles `POST /connect/revocation` (RFC 7009). */
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import { describeError, placesOf } from '../../errors/describe-error.js';
import { type LookupFailure, lookupFailures } from '../../events/lookup-failure.js';
import type { TokenDecision } from '../../events/token-decision.js';
import type { ClientRequest, EndpointAnswer, EndpointWork } from '../client-endpoint.js';
import { decisionReporter } from '../decision-reporter.js';
import { MAX_BYTES_WITH_TOKEN } from '../read-parameters.js';
import { RETRY_SOON, TokenRequestError } from '../token-request-error.js';
import { withTimeout } from '../with-timeout.js';
import type { ReadIssuedToken } from './read-issued-token.js';

/** A store of access keys whose tokens can be revoked one by one. */
export type RevokingResolver = AccessKeyResolver & Required<Pick<AccessKeyResolver, 'revokeToken'>>;

export interface RevocationParts {
  readonly readToken: ReadIssuedToken;
  readonly accessKeys: RevokingResolver;
}

const TIMEOUT_MS = 5_000;
/**
 * Maximum number of writes to the store that are pending. Further revocations fail at once: otherwise a flood of
 * requests could overload the store.
 */
const MAX_PENDING = 100;
/** Milliseconds after which a write that has not settled no longer counts as pending. */
const PENDING_FOR_MS = 50_000;
const NOTHING: EndpointAnswer = Object.freeze({ body: Object.freeze({}) });

/** Handles the revocation requests of authenticated clients. */
export function revocation({ readToken, accessKeys }: RevocationParts): EndpointWork {
  const { report, refused } = decisionReporter('revocation');
  /**
   * The pending writes, by token. A second request to revoke the same token waits for the pending write, and does not
   * start another one.
   */
  const pending = new Map<string, Promise<void>>();

  async function respond({ parameters, accessKey, authentication }: ClientRequest): Promise<EndpointAnswer> {
    const text = parameters.get('token');
    if (text === undefined) throw new TokenRequestError('invalid_request', 'no_token');
    // The clock of this instance may be ahead or behind, so it does not decide whether the token has expired. Other
    // servers may still accept the token.
    const token = await readToken(text);
    // Revoking an invalid token succeeds, because the purpose of the request is already achieved (RFC 7009 §2.2).
    if (token === undefined) return respondTo(accessKey.id, authentication);
    const { clientId, tokenId, expiresAt } = token.claims;
    if (clientId !== accessKey.id) throw new TokenRequestError('unauthorized_client', 'token_of_another_client');
    if (tokenId !== undefined) await revoke(clientId, tokenId, expiresAt);
    return respondTo(clientId, authentication);
  }

  /**
   * Stores a revocation. If this fails, the client gets 503, and must then assume that the token is still valid (RFC
   * 7009 §2.2.1).
   */
  async function revoke(clientId: string, jti: string, exp: number): Promise<void> {
    const name = `${clientId} ${jti}`;
    if (pending.size >= MAX_PENDING && !pending.has(name)) throw failed('too_many');
    const write = pending.get(name) ?? startWrite(name, clientId, jti, new Date(exp * 1_000));
    try {
      await withTimeout(write, TIMEOUT_MS);
    } catch (error) {
      if (pending.get(name) !== write) throw failed('threw', error);
      write.catch((late: unknown) => failed('threw', late));
      throw failed('timed_out');
    }
  }

  /** Starts to store a revocation. The write is pending until it settles, but at most for `PENDING_FOR_MS`. */
  function startWrite(name: string, ...revoked: Parameters<RevokingResolver['revokeToken']>): Promise<void> {
    // `revokeToken` may be custom code that throws synchronously. The async function turns this error into a rejection.
    const write = (async () => accessKeys.revokeToken(...revoked))();
    pending.set(name, write);
    const leave = () => {
      clearTimeout(timer);
      if (pending.get(name) === write) pending.delete(name);
    };
    const timer = setTimeout(leave, PENDING_FOR_MS).unref();
    write.then(leave, leave);
    return write;
  }

  function respondTo(clientId: string, authentication: TokenDecision['authentication']): EndpointAnswer {
    report({ outcome: 'revoked', status: 200, clientId, authentication });
    return NOTHING;
  }

  return { maxBytes: MAX_BYTES_WITH_TOKEN, respond, refused };
}

/** Publishes an event about a revocation that was not stored, and returns the error for the client. */
function failed(reason: LookupFailure['reason'], error?: unknown): TokenRequestError {
  if (lookupFailures.hasSubscribers) {
    const detail = reason === 'threw' ? describeError(error) : undefined;
    lookupFailures.publish({ of: 'revocation', reason, detail, where: placesOf(error) });
  }
  return new TokenRequestError('temporarily_unavailable', 'revocation_failed', RETRY_SOON);
}
