/** The store over SQL. */
import type { CredentialStore } from './credential-store.js';
import type { Engine } from './engine.js';
import type { Feed } from './feed.js';
import { findAccessKey, findKey } from './look-ups.js';
import type { SigningKeyVault } from './signing-key-vault.js';
import { storedSigningKeys } from './signing-keys.js';
import { sqlLedger } from './sql-ledger.js';
import { usesOn } from './uses.js';

export interface StoreParts {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly vault: SigningKeyVault;
  /** Whether the tables are in place, and the store is open. */
  readonly isPrepared: () => boolean;
  readonly close: () => Promise<void>;
}

/** Puts the parts together. */
export function sqlStore({ engine, feed, vault, isPrepared, close }: StoreParts): CredentialStore {
  const uses = usesOn(engine);
  let closing: Promise<void> | undefined;

  async function ready(): Promise<boolean> {
    if (closing !== undefined || !isPrepared()) return false;
    try {
      await engine.reader.selectFrom('feed_head').select('position').execute();
      return true;
    } catch {
      return false;
    }
  }

  return Object.freeze({
    resolveKey: ({ digest }) => feed.lookUp(() => findKey(engine.reader, digest)),
    resolveAccessKey: (id) => feed.lookUp(() => findAccessKey(engine.reader, id)),
    ...storedSigningKeys(engine, vault),
    recordUse: uses.record,
    watch: (listener) => feed.watch(listener),
    ready,
    close() {
      closing ??= uses.flush().then(close);
      return closing;
    },
    ledger: sqlLedger(engine, feed),
  } satisfies CredentialStore);
}
