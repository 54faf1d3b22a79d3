/** Types and functions for one change of a key: its request, its result, and its data for audit log and change feed. */
import type { Change as FeedChange } from '../../contracts/change-feed.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import type { KeyRow } from '../../store/tables.js';
import type { ChangedFields } from '../audit-log/changed-fields.js';
import { ManagementError } from '../management-error.js';
import { type KeyView, keyViewOf } from './key-view.js';

/**
 * A requested change. If a request with the same `idempotencyKey` was already carried out within the last 24 hours, sending
 * it again has no effect.
 */
export interface ChangeRequest {
  readonly action: 'edit' | 'rotate' | 'revoke';
  readonly name: string;
  readonly id: unknown;
  /**
   * The version that the key must have; `undefined` for any version. Set for an edit only if it is a `VersionCheck`:
   * `KeyService.edit` compares any other version itself.
   */
  readonly version?: unknown;
  readonly idempotencyKey?: unknown;
  readonly input?: unknown;
}

/** A request to change the secrets or public keys of a key. */
export interface CredentialChange extends Omit<ChangeRequest, 'action'> {
  /** Whether the change adds a secret or a public key. It is then refused if the account is disabled. */
  readonly addsCredential?: boolean;
}

export interface Change<T> {
  readonly before: object;
  readonly after: object;
  readonly result: T;
}

/** A key after a change. */
export interface Changed<T> {
  readonly key: KeyView;
  /** The result of the change; `undefined` if nothing was changed, for example because the request was repeated. */
  readonly result?: T;
  readonly doneAt: Date;
}

export async function viewIn(tx: RepositoryTransaction, id: string, now: number): Promise<KeyView> {
  const [key, secrets, publicKeys] = [await tx.key(id), await tx.secrets(id), await tx.publicKeys(id)];
  if (key === undefined) throw new TypeError('the key is no longer in the store');
  return keyViewOf({ key, secrets, publicKeys }, now);
}

/**
 * Compares the credentials of a key before and after a change, for the audit log. If the public keys differ, returns
 * the `kid` of each public key; otherwise, the hint, state and end of each secret.
 */
export function changedCredentials(was: KeyView, is: KeyView): ChangedFields {
  const [before, after] = [was, is].map(({ publicKeys }) => publicKeys.map(({ kid }) => kid));
  const hasSameKeys = JSON.stringify(before) === JSON.stringify(after);
  if (hasSameKeys) return { before: secretsOf(was), after: secretsOf(is) };
  return { before: { publicKeys: before }, after: { publicKeys: after } };
}

/** Describes each secret for the audit log, which must not contain the secret itself. */
function secretsOf({ secrets }: KeyView): object {
  return { secrets: secrets.map(({ hint, state, acceptedUntil }) => ({ hint, state, acceptedUntil })) };
}

export function changeOf({ kind, id }: KeyRow): FeedChange {
  return kind === 'access' ? { accessKey: id } : { key: id };
}

export function conflict(): ManagementError {
  return new ManagementError('version_conflict', 'the key has changed since you read it; read it again and retry');
}
