/** What can be done with keys of either sort, API keys and access keys: they differ in what is said of them. */

import type { Change } from '../contracts/change-feed.js';
import type { Kind } from '../credentials/kind.js';
import type { CredentialStore } from '../store/credential-store.js';
import type { LedgerTransaction } from '../store/ledger.js';
import type { KeyRow } from '../store/tables.js';
import { accountReachOf } from './account-view.js';
import type { Acting, Acts, Deed, Done } from './act.js';
import { isIdText, subjectOf } from './given-id.js';
import { type Creation, madeBefore, readCreation, rememberCreation } from './idempotency.js';
import {
  difference,
  hasSameReach,
  type NewKey,
  reachOf,
  readEdit,
  type SettingColumns,
  settingsOf,
} from './key-settings.js';
import { type KeyView, keyViewOf } from './key-view.js';
import { readListFilter } from './list-filter.js';
import { ManagementError, noSuchAccount } from './management-error.js';
import { mint, mintId } from './minted.js';
import { type Page, pageOf } from './pages.js';
import { checkReach } from './reach.js';

/** A key that was just made or rolled. */
export interface ShownOnce {
  readonly key: KeyView;
  /** The text, this once; `undefined` where the creation was a repetition. */
  readonly text: string | undefined;
}

/** Work on one key that a member may see. */
type Work<T> = (tx: LedgerTransaction, key: KeyRow, acting: Acting) => Promise<T>;

export class KeyDesk {
  readonly #acts: Acts;
  readonly #store: CredentialStore;
  readonly #kinds: readonly Kind[];
  readonly #noun: string;

  constructor(acts: Acts, store: CredentialStore, kinds: readonly Kind[], noun: string) {
    this.#acts = acts;
    this.#store = store;
    this.#kinds = kinds;
    this.#noun = noun;
  }

  async list(member: unknown, given: unknown): Promise<Page<KeyView>> {
    return await this.#acts.look(member, this.#deed('list', undefined), async ({ member: { account }, now }) => {
      const filter = readListFilter(given, this.#kinds);
      const rows = await this.#store.ledger.keys({ ...filter, account, now, limit: filter.limit + 1 });
      const placeOf = ({ key }: (typeof rows)[number]) => ({ time: key.created_at, id: key.id });
      return pageOf(rows, filter.limit, placeOf, (row) => keyViewOf(row, now));
    });
  }

  async view(member: unknown, id: unknown): Promise<KeyView> {
    return await this.#acts.look(member, this.#deed('view', id), async ({ member: { account }, now }) => {
      const found = isIdText(id) ? await this.#store.ledger.key(id) : undefined;
      if (found === undefined || !this.#isOf(found.key, account)) throw this.#unknown();
      return keyViewOf(found, now);
    });
  }

  async create(
    member: unknown,
    settings: unknown,
    idempotencyKey: unknown,
    read: (settings: unknown, now: number) => NewKey,
  ): Promise<ShownOnce> {
    return await this.#acts.change(member, this.#deed('create', undefined), async (tx, acting) => {
      const creation = readCreation(acting.member.account, idempotencyKey, this.#noun, settings);
      const before = creation && (await madeBefore(tx, creation, acting.now));
      if (before !== undefined) return await this.#repeated(tx, before, acting);
      return await this.#make(tx, read(settings, acting.now), creation, acting);
    });
  }

  /** Edits, by the version that the editor saw. */
  async edit(member: unknown, id: unknown, given: unknown): Promise<KeyView> {
    return await this.#change(member, 'edit', id, async (tx, key, acting) => {
      const { version, columns } = readEdit(given, key, acting.now);
      // What its account has lost meanwhile is no reason not to disable it.
      if (!hasSameReach(key, columns)) await this.#checkReach(tx, columns, key.account);
      const isFirst = version === key.version && (await tx.updateKey(key.id, version, columns));
      if (!isFirst) throw conflict();
      const { before, after } = difference(key, { ...key, ...columns });
      const view = await viewIn(tx, key.id, acting.now);
      return { result: view, before, after };
    });
  }

  /** Deletes for good: it stays in the list of the revoked. */
  async revoke(member: unknown, id: unknown): Promise<KeyView> {
    return await this.#change(member, 'delete', id, async (tx, key, { now }) => {
      if (!(await tx.updateKey(key.id, key.version, { revoked_at: now }))) throw conflict();
      return { result: await viewIn(tx, key.id, now), before: undefined, after: { revokedAt: new Date(now) } };
    });
  }

  /** Does something to the texts of a key; of a version alone, where one is given. */
  async reissue<T>(
    member: unknown,
    { name, id, version }: { readonly name: string; readonly id: unknown; readonly version?: number | undefined },
    work: Work<T>,
  ): Promise<{ key: KeyView; result: T }> {
    return await this.#change(
      member,
      'roll',
      id,
      async (tx, key, acting) => {
        if (version !== undefined && version !== key.version) throw conflict();
        const result = await work(tx, key, acting);
        if (!(await tx.updateKey(key.id, key.version, {}))) throw conflict();
        const view = await viewIn(tx, key.id, acting.now);
        const texts = view.secrets.map(({ hint, retiresAt }) => ({ hint, retiresAt }));
        return { result: { key: view, result }, before: undefined, after: { secrets: texts } };
      },
      name,
    );
  }

  async #change<T>(
    member: unknown,
    action: 'edit' | 'roll' | 'delete',
    id: unknown,
    work: Work<Omit<Done<T>, 'subject'>>,
    name: string = action,
  ): Promise<T> {
    const deed = this.#deed(action, id, name);
    return await this.#acts.change(member, deed, async (tx, acting) => {
      const key = isIdText(id) ? await tx.key(id) : undefined;
      if (key === undefined || !this.#isOf(key, acting.member.account)) throw this.#unknown();
      deed.subject = key.id;
      if (key.revoked_at !== null) throw new ManagementError('revoked', `the ${this.#noun} was deleted; that is final`);
      const done = await work(tx, key, acting);
      tx.tell(changeOf(key));
      return { ...done, subject: key.id };
    });
  }

  async #make(
    tx: LedgerTransaction,
    made: NewKey,
    creation: Creation | undefined,
    acting: Acting,
  ): Promise<Done<ShownOnce>> {
    const { kind, environment, columns } = made;
    const { member, now } = acting;
    await this.#checkReach(tx, columns, member.account);
    const id = mintId(kind);
    const { text, row } = mint(kind, environment, id, now);
    const key: KeyRow = {
      ...{ id, kind, environment, account: member.account, ...columns, created_at: now, created_by: member.id },
      ...{ revoked_at: null, disabled_at: null, tokens_not_before: null, version: 1 },
    };
    await tx.insertKey(key, [row]);
    if (creation !== undefined) await rememberCreation(tx, creation, id, now);
    tx.tell(changeOf(key));
    const view = keyViewOf({ key, secrets: [row] }, now);
    return {
      result: { key: view, text },
      subject: id,
      before: undefined,
      after: { kind, environment, ...settingsOf(key) },
    };
  }

  async #repeated(tx: LedgerTransaction, id: string, { now }: Acting): Promise<Done<ShownOnce>> {
    const result = { key: await viewIn(tx, id, now), text: undefined };
    return { result, subject: id, before: undefined, after: { repeated: true } };
  }

  async #checkReach(tx: LedgerTransaction, columns: SettingColumns, id: string): Promise<void> {
    const account = await tx.account(id);
    if (account === undefined) throw noSuchAccount();
    checkReach(reachOf(columns), accountReachOf(account));
  }

  #isOf(key: KeyRow, account: string): boolean {
    return key.account === account && this.#kinds.includes(key.kind);
  }

  /** Another account's key is as unknown as a random one. */
  #unknown(): ManagementError {
    return new ManagementError('not_found', `there is no such ${this.#noun}`);
  }

  #deed(action: Deed['action'], id: unknown, name: string = action): Deed {
    const noun = this.#noun.replace(' ', '_');
    return { action, name: `${noun}.${name}`, subject: subjectOf(id) };
  }
}

async function viewIn(tx: LedgerTransaction, id: string, now: number): Promise<KeyView> {
  const [key, secrets] = [await tx.key(id), await tx.secrets(id)];
  if (key === undefined) throw new TypeError('a key is never removed');
  return keyViewOf({ key, secrets }, now);
}

function changeOf({ kind, id }: KeyRow): Change {
  return kind === 'access' ? { accessKey: id } : { key: id };
}

function conflict(): ManagementError {
  return new ManagementError('version_conflict', 'somebody else changed it meanwhile; look at it again');
}
