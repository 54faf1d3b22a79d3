/**
 * Opens a store by its URL: loads the driver of the database, creates the tables, and checks the encryption key. If a
 * PostgreSQL server is down, it tries again every second.
 */
import { anything, flag, type OptionTable, readTable } from '../options/option-table.js';
import { Feed } from './change-feed.js';
import type { CredentialStore } from './credential-store.js';
import type { Engine } from './engine.js';
import { optionalPackage } from './optional-package.js';
import { publishWarning } from './publish-warning.js';
import { checkEncryptionKey } from './signing-keys/check-encryption-key.js';
import { createSigningKeyCipher } from './signing-keys/signing-key-cipher.js';
import { StoreError, storeErrorOf } from './store-error.js';
import { readStoreUrl, type StorePlace } from './store-url.js';

/** Options of `openStore`. */
export interface StoreOptions {
  /**
   * The key that encrypts signing keys: 32 bytes, or their base64url text. Only an issuer needs it. Keep it separate
   * from the database and its backups. To rotate it, pass a list: the first key encrypts, and every key decrypts. If no
   * key decrypts the signing keys of the database, `openStore` throws. Default: none; the store then cannot read or add
   * signing keys.
   */
  readonly encryptionKey?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /**
   * `true` for a store on a read replica: `ready()` does not check whether the database can be written, and neither
   * last uses nor request counts are recorded. Operations that write fail. Default: `false`.
   */
  readonly readOnly?: boolean | undefined;
}

const OPTIONS = { encryptionKey: anything, readOnly: flag(false) } satisfies OptionTable<StoreOptions>;

/** Milliseconds between two attempts to reach a database that was down when the process started. */
const TRY_AGAIN_AFTER = 1_000;

/** SQLSTATEs of errors that a later attempt does not fix: wrong password, missing database, missing rights. */
const MISTAKES = /^(?:28|3D|42501)/;

/**
 * Opens a store of keys in a database, and creates its tables or brings them up to date.
 *
 * If a PostgreSQL server is down, `openStore` succeeds nevertheless: until the server answers, lookups fail (503) and
 * `ready()` is false.
 *
 * @param url - `memory:`, lost when the process ends; `file:./keyward.db`, for one machine; `postgres://…`, for many
 *   instances, with `?schema=` (default `keyward`) in addition to the parameters of the driver.
 * @throws TypeError for an invalid URL or option. The message never contains the URL or the encryption key.
 * @throws Error if a package is missing: the message says what to install.
 * @throws StoreError `store_unusable` for a file that is not a database, is damaged or cannot be written, for a wrong
 *   password, a missing database, missing rights, a TLS file that cannot be read, a URL parameter that pg refuses, or an
 *   invalid port; `encryption_key` for a key that cannot decrypt the signing keys.
 * @example
 * ```ts
 * import { apiKeys } from 'keyward';
 * import { openStore } from 'keyward/store';
 *
 * const store = await openStore('file:./keyward.db');
 * const keys = apiKeys({ resolver: store, kinds: ['secret'], environment: 'live' });
 * process.once('SIGTERM', () => void store.close());
 * ```
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<CredentialStore> {
  const place = readStoreUrl(url);
  const { encryptionKey, readOnly } = readTable('openStore', options, OPTIONS);
  const cipher = createSigningKeyCipher(encryptionKey);
  const engine = await openEngine(place);
  const feed = new Feed(engine);
  let timer: NodeJS.Timeout | undefined;
  let isPrepared = false;
  let wasUnavailable = false;
  let isClosed = false;

  async function prepare(): Promise<void> {
    await engine.migrate();
    if (encryptionKey !== undefined) await checkEncryptionKey(engine, cipher);
    isPrepared = true;
    if (isClosed) return;
    if (wasUnavailable) publishWarning('reachable');
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
    wasUnavailable = true;
    const warning = mistakeOf(error, place) === undefined ? 'unreachable' : 'unusable';
    publishWarning(warning, storeErrorOf(error).message);
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

  // This module is loaded after the engine, because it imports kysely. If packages are missing, loading the engine has
  // already failed, with an error that names all packages to install.
  const { sqlStore } = await import('./sql-store.js');
  return sqlStore({ engine, feed, cipher, readOnly, isPrepared: () => isPrepared && !isClosed, close });
}

/**
 * Loads the driver for a URL without connecting, so that a missing driver is reported early.
 *
 * @throws TypeError for an invalid URL; MissingPackageError; StoreError if the native driver was not built, a TLS file
 *   of the URL cannot be read, pg refuses a parameter of the URL, or the port is invalid.
 */
export async function checkDriver(url: string): Promise<void> {
  const place = readStoreUrl(url);
  const engine = await openEngine(place.engine === 'sqlite' ? { ...place, file: ':memory:' } : place);
  await engine.close();
}

async function openEngine(place: StorePlace): Promise<Engine> {
  if (place.engine === 'sqlite') {
    const packages = 'kysely better-sqlite3';
    const { openSqlite } = await optionalPackage(() => import('./sqlite/engine.js'), 'openStore', packages);
    return await openSqlite(place.file);
  }
  const { openPostgres } = await optionalPackage(() => import('./postgres/engine.js'), 'openStore', 'kysely pg');
  return openPostgres(place.url, place.schema);
}

/** Returns the error that `openStore` throws at the first attempt; `undefined` if the database may become available. */
function mistakeOf(error: unknown, { engine }: StorePlace): unknown {
  if (!(error instanceof StoreError) || error.code === 'encryption_key') return error;
  const isMistake = engine === 'sqlite' || MISTAKES.test(error.driverCode);
  return isMistake ? new StoreError('store_unusable', `openStore: ${error.message}`, error.driverCode) : undefined;
}
