/**
 * Authenticates clients. Every wrong credential gets the response `invalid_client` after the same amount of work.
 * Otherwise the response or its delay would show which client IDs exist.
 */
import { BoundedLoader } from '../../cache/bounded-loader.js';
import { FailedLookup, NO_SUBJECT } from '../../cache/cache-entries.js';
import type { Subject } from '../../cache/invalidation-scope.js';
import type { Clock } from '../../contracts/clock.js';
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import { includesAddress } from '../../credentials/address-list.js';
import { type AccessKeyClient, readAccessKeyClient } from '../../credentials/records/access-key-client.js';
import type { AccessKeyRecord } from '../../credentials/records/key-records.js';
import { RecordError } from '../../credentials/records/record-error.js';
import { endedAt } from '../../credentials/records/validity.js';
import { runCallback } from '../../events/run-callback.js';
import { clientNetwork } from '../../http/client-network.js';
import { RETRY_SOON, TokenRequestError } from '../token-request-error.js';
import { checkSecret } from './check-secret.js';
import type { PresentedClient } from './presented-client.js';
import type { ClientAssertions } from './verify-assertion.js';

/**
 * Authenticates a client. It throws a `TokenRequestError`: `invalid_client` or `temporarily_unavailable`.
 *
 * @param from - The IP address of the client. It is checked against `allowedAddresses` of the access key, and recorded
 *   with the last use.
 */
export type AuthenticateClient = (client: PresentedClient, from: string | undefined) => Promise<AccessKeyClient>;

const TIMEOUT_MS = 1_000;
const MAX_LOOKUPS = 100;

/**
 * If a client does not exist, this record is parsed in place of the missing one. Otherwise a shorter response time
 * would show that the client does not exist.
 */
const NO_RECORD: AccessKeyRecord = Object.freeze({
  id: 'none',
  account: 'none',
  environment: 'live',
  secrets: [{ digest: '0'.repeat(64) }],
  scopes: ['none'],
  defaultScopes: ['none'],
});

/** The result of looking up a client; `accessKey` is `undefined` if the client does not exist. */
interface Client extends Subject {
  readonly accessKey: AccessKeyClient | undefined;
}

const UNKNOWN_CLIENT: Client = Object.freeze({ ...NO_SUBJECT, accessKey: undefined });

export interface ClientChecks {
  readonly accessKeys: AccessKeyResolver;
  readonly assertions: ClientAssertions;
  readonly clock: Clock;
}

export function authenticateClients({ accessKeys, assertions, clock }: ClientChecks): AuthenticateClient {
  const lookups = new BoundedLoader<string, Client, Client | FailedLookup>({
    of: 'issuer',
    timeout: TIMEOUT_MS,
    maxLookups: MAX_LOOKUPS,
    isShared: false,
    clock,
    lookUp,
    found: (_id, client) => client,
    failed: (_id, reason) => new FailedLookup(reason),
  });

  async function lookUp(id: string): Promise<Client> {
    const record: unknown = await accessKeys.resolveAccessKey(id);
    if (record === undefined || record === null) {
      readAccessKeyClient(NO_RECORD);
      return UNKNOWN_CLIENT;
    }
    const accessKey = readAccessKeyClient(record);
    if (accessKey.id !== id)
      throw new RecordError('id: resolveAccessKey returned a record whose ID is not the client ID of the request');
    return { id, account: accessKey.account, accessKey };
  }

  return async function authenticateClient(client, from) {
    const { id } = client;
    const found = await lookups.load(id, id, { network: clientNetwork(from) });
    if (found instanceof FailedLookup) {
      throw new TokenRequestError('temporarily_unavailable', `lookup_${found.reason}`, RETRY_SOON);
    }
    const { accessKey } = found;
    const now = clock.now();
    const proof =
      client.by === 'assertion'
        ? await assertions.check(client.assertion, accessKey)
        : checkSecret(client.secret, accessKey, now);
    if (accessKey === undefined) throw new TokenRequestError('invalid_client', 'unknown');
    const reason = proof.reason ?? endedAt(accessKey.validity, now);
    if (reason !== undefined) throw new TokenRequestError('invalid_client', reason);
    if (accessKey.allowedAddresses !== undefined && !includesAddress(accessKey.allowedAddresses, from)) {
      throw new TokenRequestError('invalid_client', 'address_not_allowed');
    }
    if (client.by === 'assertion') await assertions.useOnce(client.assertion);
    recordUse(proof.digest, from);
    return accessKey;
  };

  function recordUse(digest: string, from: string | undefined): void {
    // If `recordUse` fails, the client is not refused: `runCallback` only reports the error.
    runCallback({ of: 'issuer', callback: 'recordUse' }, () => accessKeys.recordUse?.(digest, from));
  }
}
