/** The token itself (RFC 9068 §2, spec sections 2.3 and 5.2). */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import { issuerNotices } from '../events/issuer-notice.js';
import { formatScope } from '../protocol/scope.js';
import type { SigningKeys } from './signing-keys.js';

/** Seconds that a token lives (spec section 8). */
const TOKEN_LIFETIME = 3_600;

/** A clock that steps back further than this was wrong before, and is not held to what it said (seconds). */
const LONGEST_STEP = 900;

/** What the token endpoint answers (spec section 2.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

export interface IssuedBy {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: SigningKeys;
  readonly clock: Clock;
}

/** Makes what signs tokens for a client; it throws a `SigningKeyFault` where there is no key to sign with. */
export function tokenIssuer({ issuer, audience, keys, clock }: IssuedBy) {
  let latest = 0;

  return async function issueToken(clientId: string, scopes: readonly string[]): Promise<TokenResponse> {
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
    };
    const token = await key.sign(claims);
    return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME, scope };
  };

  /** A clock that is set back must not date a token before one that is out already: `tokensNotBefore` counts on it. */
  function issueTime(): number {
    const now = Math.floor(clock.now() / 1_000);
    if (now < latest && issuerNotices.hasSubscribers) {
      issuerNotices.publish({ notice: 'clock_set_back', detail: `${latest - now} s` });
    }
    latest = latest - now > LONGEST_STEP ? now : Math.max(latest, now);
    return latest;
  }
}
