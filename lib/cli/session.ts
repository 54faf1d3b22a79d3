/** Opens the store that a command works on, and closes it. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createManagement, type Management } from '../management/create-management.js';
import { ManagementError } from '../management/management-error.js';
import type { Member } from '../management/member.js';
import type { CredentialStore } from '../store/credential-store.js';
import { StoreError } from '../store/store-error.js';
import { type Database, type DatabaseOption, databaseOf, openReady, plain } from './database.js';
import { CliError, EXIT, type Io } from './io.js';

/** Options that every command has. */
export interface CommonOptions extends DatabaseOption {
  readonly json?: boolean;
}

export interface Session {
  readonly store: CredentialStore;
  readonly management: Management;
  /** Who types, for the audit. */
  readonly operator: string;
  /** Acts as an owner of an account. */
  memberOf(account: string): Member;
  /** Acts as an owner of the account that a key belongs to. */
  memberOfKey(id: string): Promise<Member>;
}

/** Adds the options that every command has. */
export function withStoreOptions(command: Command): Command {
  return command
    .option('--database <url>', 'file:./keyward.db, postgres://...; else KEYWARD_DATABASE, else DATABASE_URL')
    .option('--json', 'print one line of JSON');
}

/** @param options - `account` is the one that the work is about. */
export async function inSession<T>(
  io: Io,
  options: CommonOptions & { readonly account?: string },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const database = databaseOf(io, options);
  const store = await openReady(database);
  try {
    const operator = `cli:${userInfo().username}`;
    const memberOf = (account: string): Member => ({ id: operator, account, permissions: ['owner'] });
    async function memberOfKey(id: string): Promise<Member> {
      const found = await store.ledger.key(id);
      if (found === undefined) throw new CliError(`There is no key ${JSON.stringify(id)} in ${database.name}.`);
      return memberOf(found.key.account);
    }
    return await work({ store, management: createManagement({ store }), operator, memberOf, memberOfKey });
  } catch (error) {
    throw toldOf(error, database, options.account);
  } finally {
    await store.close();
  }
}

/** What was looked for in which database, and what became of it. */
function toldOf(error: unknown, { name }: Database, account: string | undefined): unknown {
  if (!(error instanceof ManagementError)) return error;
  if (error.code === 'not_found' && account !== undefined && /\baccount\b/.test(error.message)) {
    return noAccount(account, name);
  }
  if (error.code !== 'unavailable' || !(error.cause instanceof StoreError)) return error;
  return new CliError(`The database ${name} failed: ${plain(error.cause.message)}.`, EXIT.unavailable);
}

/** The one wording of it. */
export function noAccount(account: string, database: string, more = ''): CliError {
  return new CliError(`There is no account ${JSON.stringify(account)} in ${database}.${more}`);
}
