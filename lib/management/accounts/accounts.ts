/** Operations on accounts. They check no permission, so call them only for the operator, never for a member. */
import type { Clock } from '../../contracts/clock.js';
import type { CredentialStore } from '../../store/credential-store.js';
import { listToJson } from '../../store/json-columns.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import type { AccountRow } from '../../store/tables.js';
import { changedFields } from '../audit-log/changed-fields.js';
import { type ListOperatorAudit, operatorAuditOf } from '../audit-log/read-audit-log.js';
import { readActor, readAllOrIds, readFlag, readGiven, readId, readIds, readScopes, readText } from '../fields.js';
import { ManagementError, noSuchAccount } from '../management-error.js';
import { mapStoreErrors } from '../map-store-errors.js';
import { type Page, pageOf, readAfter, readLimit } from '../pagination.js';
import { retryTransaction } from '../retry-transaction.js';
import { type Account, accountOf, toAccountEntitlement } from './account-view.js';

/**
 * Settings of an account. A setting that is absent is not changed. A new account without settings has no APIs, scopes
 * or platforms, but all channels.
 */
export interface AccountSettings {
  readonly apis?: 'all' | readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Default for a new account: `'all'`. */
  readonly channels?: 'all' | readonly string[] | undefined;
  /** The ids of the e-commerce platforms for which the account may have keys. */
  readonly platforms?: readonly string[] | undefined;
}

/** Selects the page of accounts to list. */
export interface AccountListFilter {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** The page size, 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
}

/**
 * Operations on accounts, for the operator. The audit log shows the parameter `operator`, 1 to 256 characters, as the
 * actor.
 */
export interface Accounts {
  /**
   * Creates an account or changes its settings. If APIs, scopes or channels are removed, existing keys lose them
   * immediately. If a platform is removed, existing keys for this platform keep it.
   */
  put(operator: string, id: string, settings: AccountSettings): Promise<Account>;
  /** @throws ManagementError `not_found` */
  view(id: string): Promise<Account>;
  /** Lists accounts in pages, ordered by id. @throws ManagementError `invalid` */
  list(filter?: AccountListFilter): Promise<Page<Account>>;
  /**
   * Lists the audit log of one account or of every account, newest first.
   *
   * @throws ManagementError `invalid` for an invalid filter.
   */
  readonly audit: ListOperatorAudit;
  /**
   * Disables an account, so that all of its keys are refused, or enables it again. A key that was disabled by an edit
   * of the key stays disabled.
   */
  setDisabled(operator: string, id: string, disabled: boolean): Promise<Account>;
}

const FIELDS = ['apis', 'scopes', 'channels', 'platforms'];

export function accountsOf(store: CredentialStore, clock: Clock): Accounts {
  const { repository } = store;

  async function put(operator: string, id: string, settings: AccountSettings): Promise<Account> {
    readId('account', id);
    const given = readGiven(settings, FIELDS);
    return await change(operator, 'account.put', id, async (tx, now) => {
      const was = await tx.lockAccount(id);
      const columns = columnsOf(given, was);
      if (was === undefined) {
        await tx.insertAccount({ id, ...columns, created_at: now, disabled_at: null, version: 1 });
      } else {
        await update(tx, was, columns);
      }
    });
  }

  async function view(id: string): Promise<Account> {
    const found = await mapStoreErrors(() => repository.account(readText('account', id)));
    if (found === undefined) throw noSuchAccount();
    return accountOf(found);
  }

  async function list(given: AccountListFilter = {}): Promise<Page<Account>> {
    const filter = readGiven(given, ['after', 'limit']);
    const limit = readLimit(filter.limit);
    const after = readAfter(filter.after)?.id;
    const rows = await mapStoreErrors(() => repository.accounts({ after, limit: limit + 1 }));
    return pageOf(rows, limit, ({ id }) => ({ time: 0, id }), accountOf);
  }

  async function setDisabled(operator: string, id: string, disabled: boolean): Promise<Account> {
    readFlag('disabled', disabled);
    readText('account', id);
    return await change(operator, disabled ? 'account.disable' : 'account.enable', id, async (tx, now) => {
      const was = await tx.lockAccount(id);
      if (was === undefined) throw noSuchAccount();
      const columns = { disabled_at: disabled ? (was.disabled_at ?? now) : null };
      await update(tx, was, columns);
    });
  }

  async function change(
    operator: string,
    action: string,
    id: string,
    work: (tx: RepositoryTransaction, now: number) => Promise<void>,
  ): Promise<Account> {
    readActor('operator', operator);
    return await retryTransaction(repository, async (tx) => {
      const now = clock.now();
      const was = await tx.lockAccount(id);
      tx.invalidateLocally({ account: id });
      await work(tx, now);
      const is = await tx.account(id);
      if (is === undefined) throw noSuchAccount();
      const changed =
        was === undefined ? { before: null, after: settingsOf(is) } : changedFields(settingsOf(was), settingsOf(is));
      if (changed === undefined) return accountOf(is);
      await tx.audit({
        ...{ at: now, account: id, actor: operator, role: 'operator', origin: null },
        ...{ action, outcome: 'done', subject: id },
        before: changed.before === null ? null : JSON.stringify(changed.before),
        after: JSON.stringify(changed.after),
      });
      tx.notify({ account: id });
      return accountOf(is);
    });
  }

  return Object.freeze({ put, view, list, audit: operatorAuditOf(store), setDisabled });
}

async function update(tx: RepositoryTransaction, was: AccountRow, columns: Partial<AccountRow>): Promise<void> {
  const { id, version } = was;
  if (changedFields(was, { ...was, ...columns }) === undefined) return;
  if (await tx.updateAccount(id, version, columns)) return;
  throw new ManagementError('version_conflict', 'another operation changed the account at the same time; try again');
}

function columnsOf(
  { apis, scopes, channels, platforms }: Readonly<Record<string, unknown>>,
  was: AccountRow | undefined,
) {
  return {
    apis: apis === undefined ? (was?.apis ?? '[]') : listToJson(readAllOrIds('apis', apis)),
    scopes: scopes === undefined ? (was?.scopes ?? '[]') : listToJson(readScopes('scopes', scopes)),
    channels:
      channels === undefined ? (was?.channels ?? listToJson('all')) : listToJson(readAllOrIds('channels', channels)),
    platforms: platforms === undefined ? (was?.platforms ?? '[]') : listToJson(readIds('platforms', platforms)),
  };
}

function settingsOf(row: AccountRow): object {
  return { ...toAccountEntitlement(row), disabled: row.disabled_at !== null };
}
