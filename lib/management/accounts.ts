/** Accounts: the operator's own work, which no permission of a member reaches. */
import type { Clock } from '../contracts/clock.js';
import type { CredentialStore } from '../store/credential-store.js';
import type { LedgerTransaction } from '../store/ledger.js';
import { listText } from '../store/stored-lists.js';
import type { AccountRow } from '../store/tables.js';
import { type Account, accountOf, accountReachOf } from './account-view.js';
import { readAllOrIds, readFlag, readGiven, readId, readIds, readScopes, readText } from './fields.js';
import { ManagementError, noSuchAccount } from './management-error.js';
import { reached, transactOn } from './reached.js';

/** What an account has. Absent: what it had before; on a new one nothing, and every channel. */
export interface AccountSettings {
  readonly apis?: 'all' | readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** `'all'` */
  readonly channels?: 'all' | readonly string[] | undefined;
  /** E-commerce platforms. */
  readonly platforms?: readonly string[] | undefined;
}

/** What the operator does with accounts. `operator` names who acts, in the audit. */
export interface Accounts {
  /** Makes an account, or gives one other settings; what its keys can hold follows at once. */
  put(operator: string, id: string, settings: AccountSettings): Promise<Account>;
  /** @throws ManagementError `not_found` */
  view(id: string): Promise<Account>;
  list(): Promise<readonly Account[]>;
  /** Disables every key of the account, or enables those that are not disabled by themselves. */
  setDisabled(operator: string, id: string, disabled: boolean): Promise<Account>;
}

const FIELDS = ['apis', 'scopes', 'channels', 'platforms'];

export function accountsOf(store: CredentialStore, clock: Clock): Accounts {
  const { ledger } = store;

  async function put(operator: string, id: string, settings: AccountSettings): Promise<Account> {
    readId('account', id);
    const given = readGiven(settings, FIELDS);
    return await change(operator, 'account.put', id, async (tx, now) => {
      const was = await tx.account(id);
      const columns = columnsOf(given, was);
      if (was === undefined) {
        await tx.insertAccount({ id, ...columns, created_at: now, disabled_at: null, version: 1 });
      } else {
        await update(tx, was, columns);
      }
    });
  }

  async function view(id: string): Promise<Account> {
    const found = await reached(() => ledger.account(readText('account', id)));
    if (found === undefined) throw noSuchAccount();
    return accountOf(found);
  }

  async function list(): Promise<readonly Account[]> {
    return (await reached(() => ledger.accounts())).map(accountOf);
  }

  async function setDisabled(operator: string, id: string, disabled: boolean): Promise<Account> {
    readFlag('disabled', disabled);
    return await change(operator, disabled ? 'account.disable' : 'account.enable', id, async (tx, now) => {
      const was = await tx.account(id);
      if (was === undefined) throw noSuchAccount();
      const columns = { disabled_at: disabled ? (was.disabled_at ?? now) : null };
      await update(tx, was, columns);
    });
  }

  async function change(
    operator: string,
    action: string,
    id: string,
    work: (tx: LedgerTransaction, now: number) => Promise<void>,
  ): Promise<Account> {
    readText('operator', operator);
    return await transactOn(ledger, async (tx) => {
      const now = clock.now();
      const was = await tx.account(id);
      await work(tx, now);
      const is = await tx.account(id);
      if (is === undefined) throw noSuchAccount();
      const who = { actor: operator, role: 'operator', origin: null };
      const [before, after] = [was && settingsText(was), settingsText(is)];
      await tx.audit({
        at: now,
        account: id,
        ...who,
        action,
        outcome: 'done',
        subject: id,
        before: before ?? null,
        after,
      });
      tx.tell({ account: id });
      return accountOf(is);
    });
  }

  return Object.freeze({ put, view, list, setDisabled });
}

async function update(tx: LedgerTransaction, { id, version }: AccountRow, columns: Partial<AccountRow>): Promise<void> {
  if (await tx.updateAccount(id, version, columns)) return;
  throw new ManagementError('version_conflict', 'somebody else changed the account meanwhile; try again');
}

function columnsOf(
  { apis, scopes, channels, platforms }: Readonly<Record<string, unknown>>,
  was: AccountRow | undefined,
) {
  return {
    apis: apis === undefined ? (was?.apis ?? '[]') : listText(readAllOrIds('apis', apis)),
    scopes: scopes === undefined ? (was?.scopes ?? '[]') : listText(readScopes('scopes', scopes)),
    channels:
      channels === undefined ? (was?.channels ?? listText('all')) : listText(readAllOrIds('channels', channels)),
    platforms: platforms === undefined ? (was?.platforms ?? '[]') : listText(readIds('platforms', platforms)),
  };
}

function settingsText(row: AccountRow): string {
  return JSON.stringify({ ...accountReachOf(row), disabled: row.disabled_at !== null });
}
