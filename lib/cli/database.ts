/**
 * Finds the URL of the database for a command, and opens the database. An error about the URL names the option or
 * environment variable that contains it. No error contains the password of a URL.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { StoreWarning } from '../events/store-warning.js';
import type { CredentialStore } from '../store/credential-store.js';
import { checkDriver, openStore } from '../store/open-store.js';
import { READ_ONLY, StoreError } from '../store/store-error.js';
import { CliError, EXIT } from './cli-error.js';
import { nameOfDatabase } from './database-name.js';
import type { EncryptionKeys } from './encryption-key-file.js';
import type { Io } from './io.js';

/** The option `--database`. */
export interface DatabaseOption {
  readonly database?: string;
}

export interface Database {
  readonly url: string;
  /** The option or environment variable that contains the URL; `''` if neither is set, so that the default is used. */
  readonly source: string;
  /** The printable part of the URL, without the password. */
  readonly name: string;
}

/**
 * Milliseconds for which a command waits in total for a database that is starting, and milliseconds between two
 * attempts.
 */
const READY_TIMEOUT_MS = 10_000;
const READY_INTERVAL_MS = 250;

/** The end of a message about a database that cannot be written. */
const IS_READ_ONLY = 'is read-only, probably because it is a standby; use the URL of the primary, or try again later';

export function databaseOf({ env }: Io, { database }: DatabaseOption): Database {
  const sources = [
    ['--database', database],
    ['KEYWARD_DATABASE', env.KEYWARD_DATABASE],
    ['DATABASE_URL', env.DATABASE_URL],
  ] as const;
  const [source, url = ''] = sources.find(([, url]) => url !== undefined) ?? ['', 'file:./keyward.db'];
  return { url, source, name: nameOfDatabase(url, source, env) };
}

/**
 * Checks that the driver of the database is installed.
 *
 * @throws CliError if the driver is missing or not built.
 */
export async function checkDatabaseDriver(database: Database): Promise<void> {
  try {
    await checkDriver(database.url);
  } catch (error) {
    throw openingError(error, database, undefined);
  }
}

/**
 * Opens a database. It does not connect yet, so the database may be unreachable.
 *
 * @param readOnly - Whether to accept a database that cannot be written, such as a standby.
 * @throws CliError if it cannot be opened. The message names the option or environment variable with the wrong value.
 */
export async function openDatabase(
  database: Database,
  encryptionKeys?: EncryptionKeys,
  readOnly = false,
): Promise<CredentialStore> {
  try {
    return await openStore(database.url, { encryptionKey: encryptionKeys?.texts, readOnly });
  } catch (error) {
    throw openingError(error, database, encryptionKeys);
  }
}

/**
 * Opens a database, and waits up to 10 seconds until it can be reached.
 *
 * @param readOnly - Whether to accept a database that cannot be written, such as a standby.
 * @throws CliError if the database cannot be opened or reached, or cannot be written although `readOnly` is `false`.
 */
export async function openReady(
  database: Database,
  encryptionKeys?: EncryptionKeys,
  readOnly = false,
): Promise<CredentialStore> {
  let failure: StoreWarning | undefined;
  function onStoreEvent(message: unknown): void {
    const event = message as StoreWarning;
    if (event.warning === 'unreachable' || event.warning === 'unusable') failure = event;
    if (event.warning === 'reachable') failure = undefined;
  }
  subscribe('keyward:store', onStoreEvent);
  try {
    const store = await openDatabase(database, encryptionKeys, readOnly);
    for (const deadline = performance.now() + READY_TIMEOUT_MS; performance.now() < deadline; ) {
      if (await store.ready()) return store;
      await new Promise((resolve) => setTimeout(resolve, READY_INTERVAL_MS));
    }
    const isReadOnly =
      failure === undefined ? await canOnlyBeRead(store, database) : failure.detail?.endsWith(`(${READ_ONLY})`);
    await store.close();
    const reason = isReadOnly
      ? IS_READ_ONLY
      : `cannot be ${failure?.warning === 'unusable' ? 'used' : 'reached'}: ${plain(failure?.detail ?? 'it does not respond')}`;
    throw new CliError(`the database ${database.name} ${reason}`, EXIT.unavailable);
  } finally {
    unsubscribe('keyward:store', onStoreEvent);
  }
}

/** Whether the database can be read but not written. A store that was opened for writing is then not ready. */
async function canOnlyBeRead(store: CredentialStore, database: Database): Promise<boolean> {
  const reader = await openDatabase(database, undefined, true).catch(() => undefined);
  if (reader === undefined) return false;
  const canBeRead = await reader.ready();
  await reader.close();
  return canBeRead && !(await store.ready());
}

/**
 * Removes the error code in parentheses at the end of a message, if the message already contains this code, as in
 * `connect ECONNREFUSED ::1 (ECONNREFUSED)`.
 */
export function plain(message: string): string {
  const [, text = '', code = ''] = /^(.+) \((\w+)\)$/.exec(message) ?? [];
  return code !== '' && text.includes(code) ? text : message;
}

/** The start of each error message of `openStore` about the URL or the encryption key. */
const MISTAKE = 'openStore: ';

function openingError(error: unknown, database: Database, encryptionKeys: EncryptionKeys | undefined): unknown {
  // If the message does not begin with `openStore:`, the TypeError is a bug, so it is printed with its stack.
  const isMistake = error instanceof TypeError && error.message.startsWith(MISTAKE);
  if (!isMistake && !(error instanceof StoreError)) return error;
  const message = error.message.startsWith(MISTAKE) ? error.message.slice(MISTAKE.length) : error.message;
  if (error instanceof StoreError) {
    if (error.code !== 'encryption_key') return new CliError(`${database.name}: ${plain(message)}`, EXIT.unavailable);
    return new CliError(
      message.replace('the option "encryptionKey" of openStore', encryptionKeys?.source ?? 'this command'),
      EXIT.unavailable,
    );
  }
  if (message.startsWith('option "encryptionKey"')) {
    const source = encryptionKeys?.source ?? '';
    return new CliError(
      `${source} must contain a key of 32 bytes in base64url (43 characters), or two such keys during a rotation`,
      EXIT.usage,
    );
  }
  const isPath = !/^\w+:/.test(database.url);
  return new CliError(`${database.source}: ${message}${isPath ? '; for a file, write file:PATH' : ''}`, EXIT.usage);
}
