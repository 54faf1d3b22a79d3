/** Creates access tokens (RFC 9068 §2, docs/spec.md §2.3 and §5.2). */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import type { AccessKeyClient } from '../credentials/records/access-key-client.js';
import { issuerWarnings } from '../events/issuer-warning.js';
import { formatScope } from '../protocol/scope.js';
import type { CnfClaim } from './sender-constraint.js';
import type { SigningKeys } from './signing-keys/signing-keys.js';

/** The lifetime of a token in seconds (docs/spec.md §8). */
const TOKEN_LIFETIME = 3_600;

/**
 * If the clock is set back by at most this many seconds, new tokens get the `iat` of the latest token. If the clock is
 * set back further, it was probably wrong before, so new tokens get the new time.
 */
const LONGEST_STEP = 900;

/** The response of the token endpoint (docs/spec.md §2.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly scope: string;
}

export interface IssuedBy {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: SigningKeys;
  readonly clock: Clock;
}

/**
 * Issues an access token. If `cnf` is given, the token is bound to a key pair of the client, to its certificate, or to
 * both.
 */
export type IssueToken = (
  accessKey: AccessKeyClient,
  scopes: readonly string[],
  cnf: CnfClaim | undefined,
) => Promise<TokenResponse>;

/** Returns a function that issues tokens; it throws a `SigningKeyError` if there is no key to sign with. */
export function tokenIssuer({ issuer, audience, keys, clock }: IssuedBy): IssueToken {
  let latest = 0;

  return async function issueToken(accessKey, scopes, cnf) {
    const { id: clientId, tokensNotBefore } = accessKey;
    const key = await keys.current();
    const iat = issueTime();
    const exp = iat + TOKEN_LIFETIME;
    const scope = formatScope(scopes);
    const claims = {
      iss: issuer,
      aud: audience,
      sub: clientId,
      client_id: clientId,
      scope,
      jti: randomUUID(),
      iat,
      exp,
      // The `tokensNotBefore` that the access key has now, in seconds. To revoke all tokens of an access key, its
      // `tokensNotBefore` is increased: verifiers refuse tokens with a smaller value. Verifiers do not compare `iat`
      // with it, because `iat` may come from another clock.
      tokens_not_before: Math.max(0, tokensNotBefore) / 1_000,
      // JSON leaves it out if it is undefined.
      cnf,
    };
    const token = await key.sign(claims);
    return {
      access_token: token,
      token_type: cnf?.jkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: TOKEN_LIFETIME,
      scope,
    };
  };

  /**
   * Returns the time for `iat`. If the clock is set back by up to 15 minutes, the time for `iat` does not go back.
   * Otherwise, a resource server that compares `iat` with the time of a revocation would refuse tokens that were issued
   * after the revocation.
   */
  function issueTime(): number {
    const now = Math.floor(clock.now() / 1_000);
    if (now < latest && issuerWarnings.hasSubscribers) {
      issuerWarnings.publish({ warning: 'clock_set_back', detail: `${latest - now} s` });
    }
    latest = latest - now > LONGEST_STEP ? now : Math.max(latest, now);
    return latest;
  }
}
