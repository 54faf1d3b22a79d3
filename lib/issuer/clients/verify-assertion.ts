/** Verifies client assertions, and accepts each one only once (RFC 7523 §3). */
import { hash } from 'node:crypto';
import { type ReplayCache, replayId } from '../../contracts/replay-cache.js';
import type { AccessKeyClient } from '../../credentials/records/access-key-client.js';
import { publicKeyDigest } from '../../credentials/records/public-jwk.js';
import { ReplayCheck } from '../../replay/replay-check.js';
import { RETRY_SOON, TokenRequestError } from '../token-request-error.js';
import type { ClientProof } from './check-secret.js';
import { ClientKeys } from './client-public-keys.js';
import { type Assertion, MAX_LIFETIME } from './read-assertion.js';

/**
 * Seconds for which a `jti` is stored: the maximum lifetime of an assertion, and 300 s by which the clocks of two
 * instances may differ. `exp` is not used, because an instance whose clock is ahead would store the `jti` too briefly.
 */
const STORED_FOR = MAX_LIFETIME + 300;

export class ClientAssertions {
  readonly #keys = new ClientKeys();
  readonly #replayCheck: ReplayCheck;

  constructor(replay: ReplayCache) {
    this.#replayCheck = new ReplayCheck(replay);
  }

  /**
   * Verifies the signature of an assertion.
   *
   * @param accessKey - `undefined` if there is no such client.
   */
  async check(assertion: Assertion, accessKey: AccessKeyClient | undefined): Promise<ClientProof> {
    const { kid, reason } = await this.#keys.signerOf(assertion, accessKey?.publicKeys ?? []);
    return { digest: publicKeyDigest(assertion.clientId, kid), reason };
  }

  /**
   * Marks the `jti` of an assertion as used. Call it after all other checks: otherwise anyone could fill the replay
   * cache.
   *
   * @throws TokenRequestError if the assertion was used before, or if the replay cache is unavailable.
   */
  async useOnce(assertion: Assertion): Promise<void> {
    const { clientId, jti } = assertion;
    const id = replayId(hash('sha256', `assertion ${clientId}`, 'base64url'), jti);
    const use = await this.#replayCheck.use(assertion, id, STORED_FOR);
    if (use === 'unavailable') throw new TokenRequestError('temporarily_unavailable', 'replay_cache', RETRY_SOON);
    if (use === 'used') throw new TokenRequestError('invalid_client', 'assertion_replayed');
  }
}
