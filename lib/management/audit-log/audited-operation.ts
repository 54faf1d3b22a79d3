/**
 * Runs the operations of members. It checks the permission, and writes the change and its audit log entry in one
 * transaction. Refused attempts, for example without permission, are audited too; validation errors are not.
 */
import type { Clock } from '../../contracts/clock.js';
import type { CredentialStore } from '../../store/credential-store.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import { ManagementError } from '../management-error.js';
import { mapStoreErrors } from '../map-store-errors.js';
import { type Member, readMember } from '../member.js';
import { type Action, isAllowed, permissionScope, permissionTitle } from '../permissions.js';
import { retryTransaction } from '../retry-transaction.js';

/** An operation that a member requests. */
export interface Operation {
  readonly action: Action;
  /** The name of the operation in the audit log, such as `key.create`. */
  readonly name: string;
  /**
   * The id of the key, for the audit log. `undefined` if the operation concerns no existing key. Also `undefined` as
   * long as the id may be a credential that was sent by mistake: it is set when a key with this id is found.
   */
  subject: string | undefined;
}

export interface OperationResult<T> {
  readonly result: T;
  readonly subject: string;
  /**
   * The values of the changed fields before and after the change, for the audit log. `undefined` if nothing was
   * changed; then no entry is written.
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
  /** Runs an operation that only reads. It is audited only if it is refused. */
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
          `this operation requires the ${permissionTitle(operation.action)} permission (scope ${permissionScope(operation.action)})`,
        );
      }
      return await mapStoreErrors(work);
    } catch (error) {
      if (isRefusal(error)) await writeRefusal(member, operation, error);
      throw error;
    }
  }

  /** Writes a refusal in a new transaction, because the transaction of the refused operation was rolled back. */
  async function writeRefusal(member: Member, operation: Operation, { code }: ManagementError): Promise<void> {
    const entry = entryOf({ member, now: clock.now() }, operation);
    await retryTransaction(repository, (tx) => tx.auditRefusal({ ...entry, subject: operation.subject ?? null, code }));
  }

  return { read, change };
}

/**
 * Whether an error is written to the audit log: a forbidden operation, an unknown or revoked key, or a version
 * conflict. Validation errors, idempotency conflicts and failures of the store are not written.
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
