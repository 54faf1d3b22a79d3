/**
 * Combines the parts of a store on a SQL database: lookups, change feed, repository, signing keys, revoked tokens,
 * replay cache, last uses and usage counts.
 */

import { afterSocketReads } from '../http/after-socket-reads.js';
import type { Feed } from './change-feed.js';
import type { CredentialStore } from './credential-store.js';
import type { Engine } from './engine.js';
import { findAccessKey, findKey } from './find-credential.js';
import { createLastUsedWriter } from './last-used.js';
import { sqlRepository } from './repository/sql-repository.js';
import { revokeToken } from './revoked-tokens/revoke-token.js';
import { RevokedTokensCache } from './revoked-tokens/revoked-tokens-cache.js';
import { issuerHeartbeats } from './signing-keys/issuer-heartbeats.js';
import type { SigningKeyCipher } from './signing-keys/signing-key-cipher.js';
import { storedSigningKeys } from './signing-keys/signing-keys.js';
import { createUsageWriter } from './usage/usage-writer.js';
import { createSqlReplayCache } from './used-ids.js';

/**
 * Maximum milliseconds for the last writes of a store that closes. Without a limit, a table that another session locks
 * would delay them, and with them the end of the process, by up to 44 seconds.
 */
const LAST_WRITES_TIMEOUT = 4_000;

export interface StoreParts {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly cipher: SigningKeyCipher;
  /**
   * Whether the store is read-only. If it is, `ready()` does not check whether the database can be written, and neither
   * last uses nor request counts are recorded.
   */
  readonly readOnly: boolean;
  /** Returns whether the tables exist and the store is open. */
  readonly isPrepared: () => boolean;
  readonly close: () => Promise<void>;
}

export function sqlStore({ engine, feed, cipher, readOnly, isPrepared, close }: StoreParts): CredentialStore {
  const uses = createLastUsedWriter(engine);
  const usage = createUsageWriter(engine);
  const issuers = issuerHeartbeats(engine);
  const usedIds = createSqlReplayCache(engine);
  const revokedTokens = new RevokedTokensCache();
  feed.watch({
    onChange: (change) => {
      if (change === 'all') revokedTokens.forgetNumbers();
    },
    onCaughtUp: () => undefined,
    onGap: () => revokedTokens.forgetNumbers(),
  });
  let closing: Promise<void> | undefined;
  let checking: Promise<boolean> | undefined;

  async function ready(): Promise<boolean> {
    if (closing !== undefined || !isPrepared()) return false;
    // All callers share one check, because anybody can call a readiness endpoint. Many checks at once would take all
    // connections of the change feed.
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return await checking;
  }

  async function check(): Promise<boolean> {
    try {
      await engine.check({ write: !readOnly });
      return true;
    } catch {
      return false;
    }
  }

  /** Writes that are not finished in time fail, because the engine refuses further attempts once it is closed. */
  async function closeAfterLastWrites(): Promise<void> {
    const writes = Promise.allSettled([uses.flush(), usage.flush(), issuers.withdraw()]);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(afterSocketReads, LAST_WRITES_TIMEOUT, resolve);
    });
    await Promise.race([writes, timeout]);
    clearTimeout(timer);
    await close();
  }

  return Object.freeze({
    resolveKey: ({ digest }) => feed.lookUp(() => findKey(engine.lookups, digest)),
    resolveAccessKey: (id) => feed.lookUp(() => findAccessKey(engine.lookups, id, revokedTokens)),
    revokeToken: (id, jti, expiresAt) => revokeToken(engine, feed, id, jti, expiresAt),
    ...storedSigningKeys(engine, cipher),
    announceIssuer: issuers.announceIssuer,
    firstUse: usedIds.firstUse,
    recordUse: readOnly ? () => undefined : uses.record,
    ...(readOnly ? {} : { usageOf: usage.usageOf }),
    watch: (listener) => feed.watch(listener),
    ready,
    close() {
      closing ??= closeAfterLastWrites();
      return closing;
    },
    repository: sqlRepository(engine, feed),
  } satisfies CredentialStore);
}
