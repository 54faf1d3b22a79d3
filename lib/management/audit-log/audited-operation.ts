/**
 * Runs one operation of a member: checks the permission, and makes the change and its audit log entry in one
 * transaction. A denied attempt is written to the audit log too, but a validation error is not.
 */
import type { Clock } from '../../contracts/clock.js';
import type { CredentialStore } from '../../store/credential-store.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import { ManagementError } from '../management-error.js';
import { mapStoreErrors } from '../map-store-errors.js';
import { type Member, readMember } from '../member.js';
import { type Action, isAllowed, permissionTitle } from '../permissions.js';
import { retryTransaction } from '../retry-transaction.js';

/** An operation that a member requests. */
export interface Operation {
  readonly action: Action;
  /** The action in the audit log: `key.create`. */
  readonly name: string;
  /**
   * The id of the key, for the audit log; `undefined` if the operation lists or creates keys, or until the key is found
   * if the id of the request may be a credential.
   */
  subject: string | undefined;
}

export interface OperationResult<T> {
  readonly result: T;
  readonly subject: string;
  /**
   * The changed fields before and after, for the audit log. If `undefined`, nothing was changed, and no entry is
   * written.
   */
  readonly fields: { readonly before: object | undefined; readonly after: object } | undefined;
}

export interface ActorContext {
  readonly member: Member;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Runs operations of members on one store. */
export interface Operations {
  /** Runs an operation that only reads. */
  read<T>(member: unknown, operation: Operation, work: (actor: ActorContext) => Promise<T>): Promise<T>;
  /** Runs an operation that writes. The change and its entry in the audit log are one transaction. */
  change<T>(
    member: unknown,
    operation: Operation,
    work: (tx: RepositoryTransaction, actor: ActorContext) => Promise<OperationResult<T>>,
  ): Promise<T>;
}

export function createOperations(store: CredentialStore, clock: Clock): Operations {
  const { repository } = store;

  async function read<T>(given: unknown, operation: Operation, work: (actor: ActorContext) => Promise<T>): Promise<T> {
    const member = readMember(given);
    return await attempt(member, operation, () => work({ member, now: clock.now() }));
  }

  async function change<T>(
    given: unknown,
    operation: Operation,
    work: (tx: RepositoryTransaction, actor: ActorContext) => Promise<OperationResult<T>>,
  ): Promise<T> {
    const member = readMember(given);
    return await attempt(member, operation, () =>
      retryTransaction(repository, async (tx) => {
        const actor = { member, now: clock.now() };
        const { result, subject, fields } = await work(tx, actor);
        if (fields === undefined) return result;
        const [before, after] = [textOf(fields.before), textOf(fields.after)];
        await tx.audit({ ...entryOf(actor, operation), outcome: 'done', subject, before, after });
        return result;
      }),
    );
  }

  async function attempt<T>(member: Member, operation: Operation, work: () => Promise<T>): Promise<T> {
    try {
      if (!isAllowed(operation.action, member.permissions)) {
        throw new ManagementError(
          'forbidden',
          `this operation requires the ${permissionTitle(operation.action)} permission`,
        );
      }
      return await mapStoreErrors(work);
    } catch (error) {
      if (isRefusal(error)) await writeRefusal(member, operation, error);
      throw error;
    }
  }

  /** Writes a refusal in a transaction of its own, because the transaction of the refused operation is rolled back. */
  async function writeRefusal(member: Member, operation: Operation, { code }: ManagementError): Promise<void> {
    const entry = entryOf({ member, now: clock.now() }, operation);
    await retryTransaction(repository, (tx) => tx.auditRefusal({ ...entry, subject: operation.subject ?? null, code }));
  }

  return { read, change };
}

/**
 * Whether an error is written to the audit log: a missing permission, an unknown or revoked key, or a version conflict.
 * Validation errors, idempotency conflicts and failures of the store are not.
 */
function isRefusal(error: unknown): error is ManagementError {
  return (
    error instanceof ManagementError && ['forbidden', 'not_found', 'version_conflict', 'revoked'].includes(error.code)
  );
}

function entryOf({ member, now }: ActorContext, { name }: Operation) {
  return {
    at: now,
    account: member.account,
    actor: member.id,
    // `readMember` sorts the permissions in ascending order, so the last one is the highest.
    role: member.permissions.at(-1) ?? null,
    action: name,
    origin: member.address ?? null,
  };
}

function textOf(fields: object | undefined): string | null {
  return fields === undefined ? null : JSON.stringify(fields);
}
