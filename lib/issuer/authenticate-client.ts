/** Whether a client is who it says: the same work, and the same answer, whatever is wrong. */
import type { Clock } from '../contracts/clock.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import { type AccessKeyGrant, readAccessKeyGrant, type Secret } from '../credentials/access-key-grant.js';
import { digestOf, digestsEqual } from '../credentials/digest.js';
import { type AccessKeyRecord, endedAt, RecordFault } from '../credentials/record.js';
import { LookUpCache } from '../verify/look-up-cache.js';
import { type Found, foundNothing } from '../verify/look-up-landing.js';
import type { PresentedClient } from './presented-client.js';
import { TokenRefusal } from './token-refusal.js';

/**
 * Proves a client, or throws a `TokenRefusal`: `invalid_client`, or `temporarily_unavailable`.
 *
 * @param from - The address of the sender, for the record of the use.
 */
export type AuthenticateClient = (client: PresentedClient, from: string | undefined) => Promise<AccessKeyGrant>;

const TIMEOUT = 1_000;
const MAX_LOOKUPS = 100;

/** Compared with where there is no secret, so that an unknown client costs what a known one does. */
const NO_SECRET: Secret = Object.freeze({ digest: '0'.repeat(64), expiresAt: Number.NEGATIVE_INFINITY });

/** Read where there is no record, for the same reason. */
const NO_RECORD: AccessKeyRecord = Object.freeze({
  id: 'none',
  account: 'none',
  environment: 'live',
  secrets: [{ digest: NO_SECRET.digest }],
  scopes: ['none'],
  defaultScopes: ['none'],
});

export function authenticateClients(resolver: AccessKeyResolver, clock: Clock): AuthenticateClient {
  const lookUps = new LookUpCache<AccessKeyGrant>({
    ...{ of: 'issuer', member: 'accessKey', bounds: undefined, watched: false, clock },
    ...{ timeout: TIMEOUT, maxLookups: MAX_LOOKUPS },
  });

  async function load(id: string): Promise<Found<AccessKeyGrant>> {
    const record: unknown = await resolver.resolveAccessKey(id);
    if (record === undefined || record === null) {
      readAccessKeyGrant(NO_RECORD);
      return foundNothing('unknown', { id, account: undefined });
    }
    const grant = readAccessKeyGrant(record);
    if (grant.id !== id) throw new RecordFault('id: not that of the client');
    return { facts: grant, subject: { id, account: grant.account } };
  }

  return async function authenticateClient({ id, secret }, from) {
    const landing = await lookUps.lookUp(id, () => load(id));
    if (landing.failed !== undefined) throw unavailable(`look_up_${landing.failed}`);
    const grant = landing.entry?.facts;
    const now = clock.now();
    const digest = digestOf(secret);
    const proved = isOneOf(digest, grant?.secrets ?? [], now);
    if (grant === undefined) throw new TokenRefusal('invalid_client', 'unknown');
    const reason = proved ? endedAt(grant.life, now) : 'wrong_secret';
    if (reason !== undefined) throw new TokenRefusal('invalid_client', reason);
    recordUse(digest, from);
    return grant;
  };

  function recordUse(digest: string, from: string | undefined): void {
    try {
      resolver.recordUse?.(digest, from);
    } catch {
      // The client's secret is good, whatever became of the note.
    }
  }
}

/** Two comparisons, whatever there is to compare with. */
function isOneOf(digest: string, [first = NO_SECRET, second = NO_SECRET]: readonly Secret[], now: number): boolean {
  const one = digestsEqual(digest, first.digest);
  const other = digestsEqual(digest, second.digest);
  return (one && first.expiresAt > now) || (other && second.expiresAt > now);
}

function unavailable(reason: string): TokenRefusal {
  return new TokenRefusal('temporarily_unavailable', reason, { headers: { 'Retry-After': '1' } });
}
