/** Compares a client secret with the secrets of a record, in a time that does not depend on the record. */

import { digestOf, digestsEqual } from '../../credentials/digest.js';
import { type AccessKeyGrant, MAX_FORMER_SECRETS, type Secret } from '../../credentials/records/access-key-grant.js';

/** The result of checking the credential of a client, a secret or an assertion. */
export interface ClientProof {
  /**
   * The digest of the secret or of the public key (`publicKeyDigest`). The use of the credential is recorded under this
   * digest.
   */
  readonly digest: string;
  /** The reason for the failure; `undefined` if the credential belongs to the client. */
  readonly reason: string | undefined;
}

/**
 * Takes the place of each secret that a client does not have. So each check compares the same number of digests, and
 * response times do not show how many secrets a client has.
 */
const NO_SECRET: Secret = Object.freeze({ digest: '0'.repeat(64), expiresAt: Number.NEGATIVE_INFINITY });

/**
 * Checks whether a secret is a current secret of the client.
 *
 * @param grant - `undefined` if there is no such client.
 */
export function checkSecret(secret: string, grant: AccessKeyGrant | undefined, now: number): ClientProof {
  const digest = digestOf(secret);
  const proved = isOneOf(digest, grant?.secrets ?? [], now);
  const isFormer = wasOneOf(digest, grant);
  const reason = isFormer ? 'former_secret' : 'wrong_secret';
  return { digest, reason: proved ? undefined : reason };
}

/** Compares with two secrets, even if there are fewer, so that the time does not depend on the record. */
function isOneOf(digest: string, [first = NO_SECRET, second = NO_SECRET]: readonly Secret[], now: number): boolean {
  const one = digestsEqual(digest, first.digest);
  const other = digestsEqual(digest, second.digest);
  return (one && first.expiresAt > now) || (other && second.expiresAt > now);
}

/** Checks whether the client has or had this secret. The number of comparisons is always the same. */
function wasOneOf(digest: string, grant: AccessKeyGrant | undefined): boolean {
  const former = [...(grant?.secrets ?? []).map((secret) => secret.digest), ...(grant?.formerSecrets ?? [])];
  let found = false;
  for (let at = 0; at < MAX_FORMER_SECRETS + 2; at += 1) {
    if (digestsEqual(digest, former[at] ?? NO_SECRET.digest)) found = true;
  }
  return found;
}
