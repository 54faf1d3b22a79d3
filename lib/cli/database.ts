/** The database that a command works on: which one, who said so, and in a sentence why it does not open. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { StoreNotice } from '../events/store-notice.js';
import type { CredentialStore } from '../store/credential-store.js';
import { openStore } from '../store/open-store.js';
import { StoreError } from '../store/store-error.js';
import { nameOfDatabase } from './database-name.js';
import type { EncryptionKey } from './encryption-key.js';
import { CliError, EXIT, type Io } from './io.js';

/** Where a command is told of its database. */
export interface DatabaseOption {
  readonly database?: string;
}

export interface Database {
  readonly url: string;
  /** The option or variable that it was read from. */
  readonly saidBy: string;
  /** What may be printed of its URL. */
  readonly name: string;
}

/** Milliseconds that a command waits for a database that may be about to start, and between two looks whether it is there. */
const PATIENCE = 10_000;
const PAUSE = 250;

export function databaseOf({ env }: Io, { database }: DatabaseOption): Database {
  const said = [
    ['--database', database],
    ['KEYWARD_DATABASE', env.KEYWARD_DATABASE],
    ['DATABASE_URL', env.DATABASE_URL],
  ] as const;
  const [saidBy, url = ''] = said.find(([, url]) => url !== undefined) ?? ['', 'file:./keyward.db'];
  return { url, saidBy, name: nameOfDatabase(url, saidBy, env) };
}

/**
 * Opens a database, which may yet be away.
 *
 * @throws CliError where it cannot be opened: it names the option or variable that is wrong.
 */
export async function openDatabase(database: Database, encryptionKey?: EncryptionKey): Promise<CredentialStore> {
  try {
    return await openStore(database.url, { encryptionKey: encryptionKey?.text });
  } catch (error) {
    throw toldOfOpening(error, database, encryptionKey);
  }
}

/**
 * Opens a database, and waits a while for one that is busy, or about to start.
 *
 * @throws CliError where it cannot be opened, or does not come: with what was heard of it.
 */
export async function openReady(database: Database): Promise<CredentialStore> {
  let cause = 'it gave no answer';
  function hear(message: unknown): void {
    const { notice, detail } = message as StoreNotice;
    if (notice === 'unreachable' && detail !== undefined) cause = detail;
  }
  subscribe('keyward:store', hear);
  try {
    const store = await openDatabase(database);
    for (const deadline = performance.now() + PATIENCE; performance.now() < deadline; ) {
      if (await store.ready()) return store;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    await store.close();
    throw new CliError(`The database ${database.name} cannot be reached: ${plain(cause)}.`, EXIT.unavailable);
  } finally {
    unsubscribe('keyward:store', hear);
  }
}

/** A driver's message most often has its code in it. */
export function plain(message: string): string {
  const [, text = '', code = ''] = /^(.+) \((\w+)\)$/.exec(message) ?? [];
  return code !== '' && text.includes(code) ? text : message;
}

function toldOfOpening(error: unknown, database: Database, encryptionKey: EncryptionKey | undefined): unknown {
  if (!(error instanceof TypeError || error instanceof StoreError)) return error;
  const message = error.message.replace(/^openStore: /, '');
  if (error instanceof StoreError) {
    if (error.code !== 'encryption_key') return new CliError(`${database.name}: ${plain(message)}`, EXIT.unavailable);
    return new CliError(message.replace('encryptionKey', encryptionKey?.saidBy ?? 'the key'), EXIT.unavailable);
  }
  const aboutKey = message.replace('option "encryptionKey"', encryptionKey?.saidBy ?? '');
  if (aboutKey !== message) return new CliError(aboutKey, EXIT.usage);
  const isPath = !/^\w+:/.test(database.url);
  return new CliError(`${database.saidBy}: ${message}${isPath ? '; before a path stands file:' : ''}`, EXIT.usage);
}
