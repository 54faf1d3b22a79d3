/**
 * Opens the store for a command, closes it when the command ends, and names the database in errors. It also adds the
 * options that every command with a store has.
 */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createManagement, type Management } from '../management/create-management.js';
import { ManagementError } from '../management/management-error.js';
import type { Member } from '../management/member.js';
import type { CredentialStore } from '../store/credential-store.js';
import { StoreError } from '../store/store-error.js';
import { CliError, EXIT } from './cli-error.js';
import { type Database, type DatabaseOption, databaseOf, openReady, plain } from './database.js';
import type { EncryptionKeys } from './encryption-key-file.js';
import type { Io } from './io.js';

/** Options of every command with a store. */
export interface CommonOptions extends DatabaseOption {
  readonly json?: boolean;
}

/** The two types of keys, as the groups `keyward keys` and `keyward access-keys` manage them. */
export type KeyNoun = 'key' | 'access key';

export interface Session {
  readonly store: CredentialStore;
  readonly management: Management;
  /** The printable part of the database URL, without the password. */
  readonly databaseName: string;
  /** The operating system user who runs the command, such as `cli:kim`. The audit log names this user as the actor. */
  readonly operator: string;
  /** Returns a member with all permissions in an account. Anyone who can open the database may do everything. */
  memberOf(account: string): Member;
  /**
   * Returns a member with all permissions in the account of a key.
   *
   * @param noun - The type that the key must have; default: any.
   * @throws CliError if there is no such key.
   */
  memberOfKey(id: string, noun?: KeyNoun): Promise<Member>;
}

/** Adds the options of every command with a store: `--database` and `--json`. */
export function withStoreOptions(command: Command): Command {
  return command
    .option(
      '--database <url>',
      'the URL of the database, such as postgres://...; default: the environment variable KEYWARD_DATABASE or DATABASE_URL, or file:./keyward.db',
    )
    .option('--json', 'print JSON, with one object per line');
}

/**
 * Opens the store, runs a command, and closes the store.
 *
 * @param options - `account`: the account that the command is about. If it does not exist, the error says so and names
 *   the database. `readOnly`: set it for a command that only reads. The command then also works on a database that
 *   cannot be written, such as a standby.
 */
export async function withStore<T>(
  io: Io,
  options: CommonOptions & {
    readonly account?: string;
    readonly encryptionKeys?: EncryptionKeys;
    readonly readOnly?: boolean;
  },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (options.account === '') throw new CliError('the account ID is empty; pass the ID of an account', EXIT.usage);
  const database = databaseOf(io, options);
  const store = await openReady(database, options.encryptionKeys, options.readOnly);
  try {
    const operator = `cli:${userName()}`;
    function memberOf(account: string): Member {
      return { id: operator, account, permissions: ['owner'] };
    }
    async function memberOfKey(id: string, noun?: KeyNoun): Promise<Member> {
      const found = await store.repository.key(id);
      const isOther = noun !== undefined && (found?.key.kind === 'access') !== (noun === 'access key');
      if (found === undefined || isOther)
        throw new CliError(`there is no ${noun ?? 'key'} ${JSON.stringify(id)} in ${database.name}`);
      return memberOf(found.key.account);
    }
    const management = createManagement({ store });
    return await work({ store, management, databaseName: database.name, operator, memberOf, memberOfKey });
  } catch (error) {
    throw withDatabaseName(error, database, options.account);
  } finally {
    await store.close();
  }
}

/**
 * Returns the name of the user. In a container, a user may have no name; then it returns the user ID, such as
 * `uid-1000`.
 */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}

/**
 * Replaces an error about a missing account or about the database with an error that names the database. Any other
 * error is returned unchanged.
 */
function withDatabaseName(error: unknown, { name }: Database, account: string | undefined): unknown {
  if (!(error instanceof ManagementError)) return error;
  if (error.code === 'not_found' && account !== undefined && /\baccount\b/.test(error.message)) {
    return noAccount(account, name);
  }
  if (error.code !== 'unavailable' || !(error.cause instanceof StoreError)) return error;
  return new CliError(databaseFailure(error, name), EXIT.unavailable);
}

/** Returns the message for a failure of the database. It names the database and the cause. */
export function databaseFailure({ cause, message }: ManagementError, database: string): string {
  return `the database ${database} returned an error: ${plain(cause instanceof StoreError ? cause.message : message)}`;
}

/** Creates the error for an account that does not exist, so that every command prints the same message. */
export function noAccount(account: string, database: string): CliError {
  return new CliError(
    `there is no account ${JSON.stringify(account)} in ${database}; to create one, run: keyward accounts put ID --api NAME`,
  );
}
