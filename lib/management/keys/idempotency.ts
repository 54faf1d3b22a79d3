/** Carries out a request only once, even if the client sends it again with the same idempotency key within 24 hours. */
import { digestOf } from '../../credentials/digest.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import type { CreationRow } from '../../store/tables.js';
import { invalid, ManagementError } from '../management-error.js';

/** How long a request is stored, in milliseconds. */
const STORED_FOR = 24 * 3_600_000;
const KEY = /^[\x21-\x7E]{1,256}$/;

/** A request with an idempotency key. It may create a key or change one. */
export interface IdempotentRequest {
  readonly account: string;
  readonly idempotencyKey: string;
  /** SHA-256 of the operation and its input. */
  readonly digest: string;
}

/**
 * Returns the data that recognizes the request if it is sent again; `undefined` for a request without an idempotency
 * key.
 *
 * @throws ManagementError `invalid` for an invalid idempotency key, and for input that JSON cannot represent.
 */
export function readIdempotentRequest(
  account: string,
  idempotencyKey: unknown,
  operation: string,
  input: unknown,
): IdempotentRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  if (typeof idempotencyKey !== 'string' || !KEY.test(idempotencyKey)) {
    throw invalid('idempotencyKey', 'expected 1 to 256 printable ASCII characters without spaces');
  }
  return { account, idempotencyKey, digest: digestOf(textOf([operation, input])) };
}

/**
 * Returns the stored row if this request was carried out in the last 24 hours; `undefined` if it is new.
 *
 * @throws ManagementError `idempotency_conflict` if the stored request is a different one.
 */
export async function findRepeated(
  tx: RepositoryTransaction,
  { account, idempotencyKey, digest }: IdempotentRequest,
  now: number,
): Promise<CreationRow | undefined> {
  const found = await tx.creation(account, idempotencyKey);
  if (found === undefined || found.at < (await outdatedBefore(tx, now))) return undefined;
  if (found.request === digest) return found;
  throw new ManagementError(
    'idempotency_conflict',
    'this idempotency key was already used for a different request; use a new idempotency key',
  );
}

/**
 * Stores a request in the transaction that carries it out, so that either both are committed or neither is. Deletes
 * some outdated requests.
 */
export async function storeRequest(
  tx: RepositoryTransaction,
  { account, idempotencyKey, digest }: IdempotentRequest,
  key: string,
  now: number,
): Promise<void> {
  const row = { account, idempotency_key: idempotencyKey, request: digest, key_id: key, at: now };
  await tx.insertCreation(row, await outdatedBefore(tx, now));
}

/**
 * Returns the time before which a stored request is outdated. It uses the clock of this machine or the clock of the
 * database, whichever is behind. Otherwise a machine whose clock is ahead would carry out a repeated request a second
 * time, and delete requests that other machines have just stored.
 */
async function outdatedBefore(tx: RepositoryTransaction, now: number): Promise<number> {
  return Math.min(now, await tx.now()) - STORED_FOR;
}

/**
 * Serializes the input, which is not validated yet. JSON.stringify throws for circular, BigInt and very deep values.
 */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw invalid('request', 'expected values that JSON can represent');
  }
}
