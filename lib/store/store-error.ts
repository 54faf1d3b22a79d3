/** Errors of the store, for the operator. They contain no value of a row except the id of a key. */
import { KeywardError } from '../errors/keyward-error.js';

/** Why an operation of a store failed. */
export type StoreErrorCode =
  /**
   * The database cannot be reached, did not answer in time, or failed for a reason that no other code names. A retry
   * may succeed, unless the store is closed. A write that fails with this code may be stored nevertheless.
   */
  | 'store_unavailable'
  /**
   * The transaction conflicts with another one, or violates a constraint: for example, a row with the same id exists.
   */
  | 'store_conflict'
  /**
   * The file or database is not a store of keyward, is damaged, or cannot be written; or `openStore` found a wrong
   * password, a missing database, missing rights, a TLS file that cannot be read, a URL parameter that pg refuses, or
   * an invalid port.
   */
  | 'store_unusable'
  /**
   * The option `encryptionKey` has no key that can decrypt the signing keys of the database, or is missing although it
   * is needed.
   */
  | 'encryption_key'
  /** An access key has 100,000 revoked tokens that have not expired. */
  | 'too_many_revoked_tokens';

/**
 * Thrown by a store. It contains no row, no password, and no parameter except the id of a key.
 *
 * @example
 * ```ts
 * import { openStore, StoreError } from 'keyward/store';
 *
 * try {
 *   await openStore('file:./keyward.db');
 * } catch (error) {
 *   if (error instanceof StoreError && error.code === 'store_unusable') console.error(error.message);
 *   else throw error;
 * }
 * ```
 */
export class StoreError extends KeywardError {
  override readonly name = 'StoreError';
  declare readonly code: StoreErrorCode;
  /** The error code of the driver: a SQLSTATE, a network error code or a SQLite error code; `''` if there is none. */
  readonly driverCode: string;

  constructor(code: StoreErrorCode, message: string, driverCode = '') {
    super(code, message);
    this.driverCode = driverCode;
  }
}

export function storeClosed(): StoreError {
  return new StoreError('store_unavailable', 'the store is closed');
}

/** The SQLSTATE of a write in a read-only session, which occurs, for example, after a failover. */
export const READ_ONLY = '25006';

/** Matches a SQLSTATE. It must contain a digit, because some network error codes have five letters, such as `EPIPE`. */
export const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** Classes of SQLSTATEs whose messages are about the server. Messages of other classes may contain values of a row. */
const ABOUT_THE_SERVER = /^(?:08|25|28|3D|3F|42|53|54|55|57|58|XX)/;
/**
 * Codes of a violated constraint, of a serialization failure, of a deadlock, and of a trigger that refuses a change.
 */
const CONFLICTS = ['23', '40001', '40P01', 'P0001', 'SQLITE_CONSTRAINT'];
const UNUSABLE = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'];

/** Converts any error into a `StoreError` that can be logged: its message contains no value of a row. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  if (CONFLICTS.some((start) => code.startsWith(start))) {
    return new StoreError(
      'store_conflict',
      `the write violates a constraint of the database or conflicts with another transaction (${code})`,
      code,
    );
  }
  const kind = UNUSABLE.some((start) => code.startsWith(start)) ? 'store_unusable' : 'store_unavailable';
  return new StoreError(kind, summaryOf(error), code);
}

/** Matches the error if the native code of better-sqlite3 was not built, or was built for another version of Node. */
const NO_NATIVE_BUILD = /Could not locate the bindings file|NODE_MODULE_VERSION/;

/** Returns a message that may be logged. The message of the driver is left out if it may contain values of a row. */
function summaryOf(error: unknown): string {
  const code = codeOf(error);
  if (NO_NATIVE_BUILD.test(textOf(error, 'message'))) {
    return 'better-sqlite3 is not built for this version of Node; run: npm rebuild better-sqlite3';
  }
  const mayContainValues = SQLSTATE.test(code) && !ABOUT_THE_SERVER.test(code);
  const message = mayContainValues ? '' : textOf(error, 'message');
  const what = message || 'the database operation failed';
  return code === '' ? what : `${what} (${code})`;
}

function codeOf(error: unknown): string {
  return textOf(error, 'code');
}

/** Reads a property of an error. `instanceof Error` does not work for an error of another realm, as under Jest. */
function textOf(error: unknown, member: 'code' | 'message'): string {
  const value = (error as { readonly [name in typeof member]?: unknown } | null | undefined)?.[member];
  return typeof value === 'string' ? value : '';
}
