/** Errors of the store: for the operator, and without a value of the database, which may be a secret. */

/** Why a store could not do what it was asked. */
export type StoreErrorCode =
  /** The database cannot be reached, or did not answer in time. */
  | 'store_unavailable'
  /** What was asked for breaks a rule of the database: a second row of that name, or a lost race. */
  | 'store_conflict'
  /** The file or database is not one of keyward's, is damaged, or may not be written. */
  | 'store_unusable'
  /** Signing keys are stored, and `encryptionKey` is missing or opens none of them. */
  | 'encryption_key';

/** What a store throws. It prints no parameter, row or password. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** The driver's own: a SQLSTATE, an errno of the network, or SQLite's; `''` where there is none. */
  readonly driverCode: string;

  constructor(code: StoreErrorCode, message: string, driverCode = '') {
    super(message);
    this.code = code;
    this.driverCode = driverCode;
  }
}

/** Each has a digit, unlike an errno of five letters. */
export const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** SQLSTATE classes whose message speaks of the server and not of a row. */
const ABOUT_THE_SERVER = /^(?:08|25|28|3D|3F|42|53|54|55|57|58|XX)/;
/** Constraints, lost races, and triggers that forbid. */
const CONFLICTS = ['23', '40001', '40P01', 'P0001', 'SQLITE_CONSTRAINT'];
const UNUSABLE = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'];

/** Turns what a driver threw into an error that may be logged. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  if (CONFLICTS.some((start) => code.startsWith(start))) {
    return new StoreError('store_conflict', `conflict (${code})`, code);
  }
  const kind = UNUSABLE.some((start) => code.startsWith(start)) ? 'store_unusable' : 'store_unavailable';
  return new StoreError(kind, summaryOf(error), code);
}

/** better-sqlite3 without its compiled half, or with that of another version of Node. */
const NO_NATIVE_BUILD = /Could not locate the bindings file|NODE_MODULE_VERSION/;

/** What a driver threw, fit to be logged. */
function summaryOf(error: unknown): string {
  const code = codeOf(error);
  if (NO_NATIVE_BUILD.test(textOf(error, 'message'))) {
    return 'better-sqlite3 is not built for this version of Node: npm rebuild better-sqlite3';
  }
  const speaksOfRows = SQLSTATE.test(code) && !ABOUT_THE_SERVER.test(code);
  const message = speaksOfRows ? '' : textOf(error, 'message');
  return [message, code === '' ? '' : `(${code})`].filter(Boolean).join(' ') || 'unknown error';
}

function codeOf(error: unknown): string {
  return textOf(error, 'code');
}

/** Of whatever was thrown: a driver's error may be of another realm, as under Jest, and then it is no `Error` of ours. */
function textOf(error: unknown, member: 'code' | 'message'): string {
  const value = (error as { readonly [name in typeof member]?: unknown } | null | undefined)?.[member];
  return typeof value === 'string' ? value : '';
}
