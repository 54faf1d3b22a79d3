/** Opens a store by its URL. */
import { Options } from '../options/options.js';
import type { CredentialStore } from './credential-store.js';
import type { Engine } from './engine.js';
import { Feed } from './feed.js';
import { giveNotice } from './give-notice.js';
import { optionalPackage } from './optional-package.js';
import { signingKeyVault } from './signing-key-vault.js';
import { storedSigningKeys } from './signing-keys.js';
import { StoreError, storeErrorOf } from './store-error.js';
import { readStoreUrl, type StorePlace } from './store-url.js';

/** Options of `openStore`. */
export interface StoreOptions {
  /**
   * 32 bytes, or their base64url text: what signing keys are encrypted with. Only an issuer needs it. Keep it apart from
   * the database and its backups.
   */
  readonly encryptionKey?: string | Uint8Array | undefined;
}

/** Milliseconds between two tries to reach a database that was down when the process started. */
const TRY_AGAIN_AFTER = 1_000;

/** SQLSTATEs that waiting does not mend: password, database, rights. */
const MISTAKES = /^(?:28|3D|42501)/;

/**
 * Opens a store, and makes its tables where there are none.
 *
 * A PostgreSQL server that is down does not fail it: look-ups fail (503) and `ready()` is false until it has come.
 *
 * @param url - `memory:`, for as long as the process lasts; `file:./keyward.db`, one machine; `postgres://…`, many
 *   instances, with `?schema=` (default `keyward`) beside the driver's own parameters.
 * @throws TypeError for a URL or an option that is none; it never prints them.
 * @throws Error where a package is missing: the message says what to install.
 * @throws StoreError `store_unusable` for a file that is no database, is damaged or may not be written, for a wrong
 *   password, a database that is not there, or missing rights; `encryption_key` for a key that opens no signing key.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<CredentialStore> {
  const place = readStoreUrl(url);
  const vault = signingKeyVault(new Options('openStore', options, ['encryptionKey']).raw('encryptionKey'));
  const engine = await openEngine(place);
  const feed = new Feed(engine);
  let timer: NodeJS.Timeout | undefined;
  let isPrepared = false;
  let isMissed = false;
  let isClosed = false;

  async function prepare(): Promise<void> {
    await engine.migrate();
    if (options.encryptionKey !== undefined) await storedSigningKeys(engine, vault).listSigningKeys();
    isPrepared = true;
    if (isClosed) return;
    if (isMissed) giveNotice('reachable');
    feed.start();
  }

  async function prepareWhenReachable(): Promise<void> {
    try {
      await prepare();
    } catch (error) {
      tryLater(error);
    }
  }

  function tryLater(error: unknown): void {
    if (isClosed) return;
    isMissed = true;
    giveNotice('unreachable', storeErrorOf(error).message);
    timer = setTimeout(() => void prepareWhenReachable(), TRY_AGAIN_AFTER);
  }

  try {
    await prepare();
  } catch (error) {
    const mistake = mistakeOf(error, place);
    if (mistake !== undefined) {
      await engine.close();
      throw mistake;
    }
    tryLater(error);
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    feed.stop();
    await engine.close();
  }

  // What imports a database's package is loaded after the engine has: it says what is missing.
  const { sqlStore } = await import('./sql-store.js');
  return sqlStore({ engine, feed, vault, isPrepared: () => isPrepared && !isClosed, close });
}

async function openEngine(place: StorePlace): Promise<Engine> {
  if (place.engine === 'sqlite') {
    const packages = 'kysely better-sqlite3';
    const { openSqlite } = await optionalPackage(() => import('./sqlite-engine.js'), 'openStore', packages);
    return await openSqlite(place.file);
  }
  const { openPostgres } = await optionalPackage(() => import('./postgres-engine.js'), 'openStore', 'kysely pg');
  return openPostgres(place.url, place.schema);
}

/** What no waiting mends; `undefined` where the database may yet come. */
function mistakeOf(error: unknown, { engine }: StorePlace): unknown {
  if (!(error instanceof StoreError) || error.code === 'encryption_key') return error;
  const isMistake = engine === 'sqlite' || MISTAKES.test(error.driverCode);
  return isMistake ? new StoreError('store_unusable', `openStore: ${error.message}`, error.driverCode) : undefined;
}
