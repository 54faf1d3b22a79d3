/** Opens the store that a command works on, and closes it. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createManagement, type Management } from '../management/create-management.js';
import type { Member } from '../management/member.js';
import type { CredentialStore } from '../store/credential-store.js';
import { openStore } from '../store/open-store.js';
import { CliError, EXIT, type Io } from './io.js';

/** Options that every command has. */
export interface CommonOptions {
  readonly database?: string;
  readonly json?: boolean;
}

/** How often a database is tried, and the milliseconds between two tries. */
const PATIENCE = 20;
const PAUSE = 250;

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
    .option('--database <url>', 'file:./keyward.db, postgres://...; else KEYWARD_DATABASE')
    .option('--json', 'print one line of JSON');
}

export function databaseOf(io: Io, { database }: CommonOptions, fallback = 'file:./keyward.db'): string {
  return database ?? io.env.KEYWARD_DATABASE ?? fallback;
}

/** Waits a while for a database that is busy, or about to start. @throws CliError where it does not come. */
export async function assertReady(store: CredentialStore): Promise<void> {
  for (let tries = PATIENCE; tries > 0; tries -= 1) {
    if (await store.ready()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new CliError('The database cannot be reached.', EXIT.unavailable);
}

export async function inSession<T>(io: Io, options: CommonOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const store = await openStore(databaseOf(io, options));
  try {
    await assertReady(store);
    const operator = `cli:${userInfo().username}`;
    const memberOf = (account: string): Member => ({ id: operator, account, permissions: ['owner'] });
    async function memberOfKey(id: string): Promise<Member> {
      const found = await store.ledger.key(id);
      if (found === undefined) throw new CliError(`There is no key ${JSON.stringify(id)}.`);
      return memberOf(found.key.account);
    }
    return await work({ store, management: createManagement({ store }), operator, memberOf, memberOfKey });
  } finally {
    await store.close();
  }
}
