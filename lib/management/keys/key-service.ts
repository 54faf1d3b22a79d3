/**
 * The operations that API keys and access keys have in common. One `KeyService` manages the API keys, another one the
 * access keys.
 */

import type { Kind } from '../../credentials/credential-kind.js';
import type { CredentialStore } from '../../store/credential-store.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import type { KeyRow } from '../../store/tables.js';
import type { ActorContext, Operation, OperationResult, Operations } from '../audit-log/audited-operation.js';
import { changedFields } from '../audit-log/changed-fields.js';
import { readListFilter } from '../key-list-filter.js';
import { ManagementError } from '../management-error.js';
import type { Member } from '../member.js';
import { type Page, pageOf } from '../pagination.js';
import { assertEnabled, assertEntitled } from './account-rules.js';
import { findRepeated, type IdempotentRequest, readIdempotentRequest, storeRequest } from './idempotency.js';
import {
  type Change,
  type Changed,
  type ChangeRequest,
  type CredentialChange,
  changedCredentials,
  changeOf,
  conflict,
  viewIn,
} from './key-change.js';
import { hasSameEntitlement, type NewKey, readEdit, readVersion, settingsOf, VersionCheck } from './key-settings.js';
import { type KeyView, keyViewOf } from './key-view.js';
import { assertEnvironment, assertGrantable, inEnvironment, isWithin } from './member-rules.js';
import { newId, newSecret } from './new-secret.js';
import { readKeyId, subjectOf } from './read-key-id.js';

/** A key that was created or got a new secret. */
export interface CreatedKey {
  readonly key: KeyView;
  /**
   * The key value of an API key, or the client secret of an access key. It is returned only once: if the request is
   * sent again with the same idempotency key, the secret is `undefined`.
   */
  readonly secret: string | undefined;
  /** When the secret was created. If the request is sent again, this is still the time of the first request. */
  readonly doneAt: Date;
}

/** A function that makes one change of a key, in a transaction. The key belongs to the member's account. */
type Work<T> = (tx: RepositoryTransaction, key: KeyRow, actor: ActorContext) => Promise<T>;

export class KeyService {
  readonly #operations: Operations;
  readonly #store: CredentialStore;
  readonly #kinds: readonly Kind[];
  readonly #noun: string;

  constructor(operations: Operations, store: CredentialStore, kinds: readonly Kind[], noun: string) {
    this.#operations = operations;
    this.#store = store;
    this.#kinds = kinds;
    this.#noun = noun;
  }

  async list(member: unknown, given: unknown): Promise<Page<KeyView>> {
    return await this.#operations.read(member, this.#operation('list', undefined), async ({ member, now }) => {
      const { account, environment } = member;
      const filter = readListFilter(given, this.#kinds);
      if (!isWithin(member, filter.environment ?? environment)) return { items: [], next: null };
      const only = environment === undefined ? {} : { environment };
      const rows = await this.#store.repository.keys({ ...filter, ...only, account, now, limit: filter.limit + 1 });
      return pageOf(
        rows,
        filter.limit,
        ({ place }) => place,
        (row) => keyViewOf(row, now),
      );
    });
  }

  async view(member: unknown, id: unknown): Promise<KeyView> {
    return await this.#operations.read(member, this.#operation('view', id), async ({ member, now }) => {
      const given = readKeyId('id', id);
      const found = given === undefined ? undefined : await this.#store.repository.key(given);
      if (found === undefined || !this.#isOf(found.key, member)) throw this.#unknown();
      return keyViewOf(found, now);
    });
  }

  async create(
    member: unknown,
    settings: unknown,
    idempotencyKey: unknown,
    read: (settings: unknown, now: number) => NewKey,
  ): Promise<CreatedKey> {
    return await this.#operations.change(member, this.#operation('create', undefined), async (tx, actor) => {
      // With the implied environment: the same settings of a member with another environment are another request.
      const given = inEnvironment(settings, actor.member);
      const request = readIdempotentRequest(actor.member.account, idempotencyKey, this.#noun, given);
      const repeated = request && (await findRepeated(tx, request, actor.now));
      if (repeated !== undefined) {
        const key = await viewIn(tx, repeated.key_id, actor.now);
        assertEnvironment(key, actor.member);
        const result = { key, secret: undefined, doneAt: new Date(repeated.at) };
        return { result, subject: key.id, fields: undefined };
      }
      const made = read(given, actor.now);
      assertEnvironment(made, actor.member);
      assertGrantable(made, actor.member);
      return await this.#make(tx, made, request, actor);
    });
  }

  /**
   * Edits the settings of a key. An edit of an outdated version is refused (optimistic locking). An edit that changes
   * nothing succeeds with any version, except with a `VersionCheck`, and is not audited.
   */
  async edit(member: unknown, id: unknown, given: unknown, idempotencyKey?: unknown): Promise<KeyView> {
    const { version: seen } = Object(given) as { readonly version?: unknown };
    const version = seen instanceof VersionCheck ? seen : undefined;
    const request = { name: 'edit', id, version, idempotencyKey, input: withoutVersion(given) };
    const { key } = await this.#change(member, { ...request, action: 'edit' }, async (tx, row, actor) => {
      const { version, columns } = readEdit(given, row, actor.now, await tx.now());
      const changed = changedFields(settingsOf(row), settingsOf({ ...row, ...columns }));
      if (changed === undefined) return undefined;
      // The account is checked only if the edit changes APIs, scopes, channels or the platform. With a check for every
      // edit, a key could not be disabled after its account has lost an API of the key.
      if (!hasSameEntitlement(row, columns)) await assertEntitled(tx, columns, row.account);
      const isFirst = version === row.version && (await tx.updateKey(row.id, version, columns));
      if (!isFirst) throw conflict();
      return { ...changed, result: undefined };
    });
    return key;
  }

  /** Revokes a key, which cannot be undone. The key stays in the list of revoked keys. */
  async revoke(member: unknown, id: unknown, idempotencyKey?: unknown, version?: unknown): Promise<KeyView> {
    const request = { action: 'revoke', name: 'revoke', id, version, idempotencyKey } as const;
    const { key } = await this.#change(member, request, async (tx, row, { now }) => {
      if (!(await tx.updateKey(row.id, row.version, { revoked_at: now }))) throw conflict();
      return { before: { revokedAt: null }, after: { revokedAt: new Date(now) }, result: undefined };
    });
    return key;
  }

  /** Changes the secrets or public keys of a key. If the request has a version, the key must have this version. */
  async changeCredentials<T>(member: unknown, request: CredentialChange, work: Work<T>): Promise<Changed<T>> {
    return await this.#change(member, { ...request, action: 'rotate' }, async (tx, row, actor) => {
      if (request.addsCredential) await assertEnabled(tx, row.account);
      const before = await viewIn(tx, row.id, actor.now);
      const result = await work(tx, row, actor);
      if (!(await tx.updateKey(row.id, row.version, {}))) throw conflict();
      return { ...changedCredentials(before, await viewIn(tx, row.id, actor.now)), result };
    });
  }

  /**
   * Makes a change of a key in a transaction: checks the key, makes the change, writes the audit log entry and notifies
   * the caches. A request that was already carried out with the same idempotency key changes nothing.
   *
   * @param work - Makes the change, and returns what it changed; `undefined` if it changed nothing.
   */
  async #change<T>(
    member: unknown,
    { action, name, id, version: seen, idempotencyKey, input }: ChangeRequest,
    work: Work<Change<T> | undefined>,
  ): Promise<Changed<T>> {
    const operation = this.#operation(action, id, name);
    return await this.#operations.change(member, operation, async (tx, actor) => {
      const { now } = actor;
      const given = readKeyId('id', id);
      const row = given === undefined ? undefined : await tx.lockKey(given);
      if (row === undefined || !this.#isOf(row, actor.member)) throw this.#unknown();
      operation.subject = row.id;
      tx.invalidateLocally(changeOf(row));
      const unchanged = async (doneAt: number) => {
        const result = { key: await viewIn(tx, row.id, now), doneAt: new Date(doneAt) };
        return { result, subject: row.id, fields: undefined };
      };
      const condition = seen === undefined ? undefined : readVersion(seen);
      const request = readIdempotentRequest(row.account, idempotencyKey, operation.name, [id, input]);
      const repeated = request && (await findRepeated(tx, request, now));
      if (repeated !== undefined) return await unchanged(repeated.at);
      if (row.revoked_at !== null)
        throw new ManagementError(
          'revoked',
          `the ${this.#noun} is revoked, and this cannot be undone; create a new key`,
        );
      if (condition?.allows(row.version) === false) throw conflict();
      const change = await work(tx, row, actor);
      // The work may lock the account. The request is stored after that, as in `#make`: with two orders, operations
      // with the same idempotency key could deadlock.
      if (request !== undefined) await storeRequest(tx, request, row.id, now);
      if (change === undefined) return await unchanged(now);
      tx.notify(changeOf(row));
      const { before, after, result } = change;
      const key = await viewIn(tx, row.id, now);
      return { result: { key, result, doneAt: new Date(now) }, subject: row.id, fields: { before, after } };
    });
  }

  async #make(
    tx: RepositoryTransaction,
    made: NewKey,
    request: IdempotentRequest | undefined,
    actor: ActorContext,
  ): Promise<OperationResult<CreatedKey>> {
    const { kind, environment, columns } = made;
    const { member, now } = actor;
    await assertEnabled(tx, member.account);
    await assertEntitled(tx, columns, member.account);
    const id = newId(kind);
    const { text, row } = newSecret(kind, environment, id, now);
    const key: KeyRow = {
      ...{ id, kind, environment, account: member.account, ...columns, created_at: now, created_by: member.id },
      ...{ revoked_at: null, disabled_at: null, tokens_not_before: null, version: 1, used_at: 0 },
    };
    await tx.insertKey(key, [row]);
    if (request !== undefined) await storeRequest(tx, request, id, now);
    tx.notify(changeOf(key));
    const view = keyViewOf({ key, secrets: [row], publicKeys: [] }, now);
    return {
      result: { key: view, secret: text, doneAt: new Date(now) },
      subject: id,
      fields: { before: undefined, after: { kind, environment, ...settingsOf(key) } },
    };
  }

  #isOf(key: KeyRow, member: Member): boolean {
    return key.account === member.account && this.#kinds.includes(key.kind) && isWithin(member, key.environment);
  }

  /**
   * Creates the error for an unknown key. It is also used for a key of another account, because members must not learn
   * which ids exist there.
   */
  #unknown(): ManagementError {
    return new ManagementError('not_found', `the ${this.#noun} was not found`);
  }

  #operation(action: Operation['action'], id: unknown, name: string = action): Operation {
    const noun = this.#noun.replace(' ', '_');
    return { action, name: `${noun}.${name}`, subject: subjectOf(id) };
  }
}

/**
 * Returns the input of an edit without its version, to recognize a request that is sent again. The version may differ:
 * the client may have read the key again before, and got the version that its first request created.
 */
function withoutVersion(edit: unknown): unknown {
  return typeof edit === 'object' && edit !== null ? { ...edit, version: undefined } : edit;
}
