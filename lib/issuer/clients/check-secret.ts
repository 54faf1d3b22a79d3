/**
 * Compares a client secret with the secrets of an access key. The number of comparisons is always the same, so response
 * times do not show whether the client exists and how many secrets it has.
 */

import { digestOf, digestsEqual } from '../../credentials/digest.js';
import { type AccessKeyClient, MAX_FORMER_SECRETS, type Secret } from '../../credentials/records/access-key-client.js';

/** The result of checking a client secret or a client assertion. */
export interface ClientProof {
  /**
   * The digest of the secret, or of the public key that verified the assertion (`publicKeyDigest`). The last use of the
   * secret or key is recorded under this digest.
   */
  readonly digest: string;
  /** Why the secret or assertion is refused; `undefined` if it belongs to the client. */
  readonly reason: string | undefined;
}

/**
 * Fills the place of a secret that the client does not have, so each check compares the same number of digests.
 * Otherwise response times would show how many secrets the client has.
 */
const NO_SECRET: Secret = Object.freeze({ digest: '0'.repeat(64), expiresAt: Number.NEGATIVE_INFINITY });

/**
 * Checks whether a secret is a current secret of the client.
 *
 * @param accessKey - `undefined` if there is no such client.
 */
export function checkSecret(secret: string, accessKey: AccessKeyClient | undefined, now: number): ClientProof {
  const digest = digestOf(secret);
  const proved = isOneOf(digest, accessKey?.secrets ?? [], now);
  const isFormer = wasOneOf(digest, accessKey);
  const reason = isFormer ? 'former_secret' : 'wrong_secret';
  return { digest, reason: proved ? undefined : reason };
}

/**
 * Checks whether a digest belongs to a current secret. It always compares two secrets, even if the client has fewer.
 */
function isOneOf(digest: string, [first = NO_SECRET, second = NO_SECRET]: readonly Secret[], now: number): boolean {
  const one = digestsEqual(digest, first.digest);
  const other = digestsEqual(digest, second.digest);
  return (one && first.expiresAt > now) || (other && second.expiresAt > now);
}

/**
 * Checks whether the digest belongs to any secret that the client has or had. The number of comparisons is always the
 * same.
 */
function wasOneOf(digest: string, accessKey: AccessKeyClient | undefined): boolean {
  const former =
    accessKey === undefined ? [] : [...accessKey.secrets.map((secret) => secret.digest), ...accessKey.formerSecrets];
  let found = false;
  for (let at = 0; at < MAX_FORMER_SECRETS + 2; at += 1) {
    if (digestsEqual(digest, former[at] ?? NO_SECRET.digest)) found = true;
  }
  return found;
}
