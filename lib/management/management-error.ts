import { KeywardError } from '../errors/keyward-error.js';

/** Why an operation of management failed. */
export type ManagementErrorCode =
  /** 400: a field is missing, unknown or wrong; `field` names it. */
  | 'invalid'
  /** 401: the request has no member, or the member has no account. */
  | 'no_member'
  /**
   * 403: the member has no permission for the operation, for a scope of the key or for its environment; or the account
   * is disabled.
   */
  | 'forbidden'
  /**
   * 404: the key, its secret, its public key or the account does not exist, or the member may not manage it.
   * `endGrace` also throws it if no secret of the key is in a grace period.
   */
  | 'not_found'
  /** 409: the key or account was changed since the caller read it; read it again and retry. */
  | 'version_conflict'
  /** 409: the key is revoked, so it cannot be changed any more. */
  | 'revoked'
  /** 409: the idempotency key was already used for a different request. */
  | 'idempotency_conflict'
  /** 503: the store failed, or the machine has no secure random numbers; try again. */
  | 'unavailable';

const STATUS: Readonly<Record<ManagementErrorCode, number>> = {
  invalid: 400,
  no_member: 401,
  forbidden: 403,
  not_found: 404,
  version_conflict: 409,
  revoked: 409,
  idempotency_conflict: 409,
  unavailable: 503,
};

/**
 * Thrown by the operations of `createManagement`. The message may be shown to the member: it contains no stored
 * credential.
 *
 * @example
 * ```ts
 * import { type Management, ManagementError, type Member } from 'keyward/management';
 *
 * async function revoke(management: Management, member: Member, id: string): Promise<number> {
 *   try {
 *     await management.keys.revoke(member, id);
 *     return 204;
 *   } catch (error) {
 *     if (error instanceof ManagementError) return error.status;
 *     throw error;
 *   }
 * }
 * ```
 */
export class ManagementError extends KeywardError {
  override readonly name = 'ManagementError';
  declare readonly code: ManagementErrorCode;
  /** The HTTP status that fits this error. */
  declare readonly status: number;
  /** The name of the invalid field, if there is one. */
  readonly field: string | undefined;

  /**
   * Creates an error.
   *
   * @param cause - The error that made management fail, for the log of the operator, such as a `StoreError`.
   */
  constructor(code: ManagementErrorCode, message: string, field?: string, cause?: unknown) {
    super(code, message, { status: STATUS[code], cause });
    this.field = field;
  }
}

export function noSuchAccount(): ManagementError {
  return new ManagementError('not_found', 'the account was not found');
}

export function invalid(field: string, expected: string): ManagementError {
  return new ManagementError('invalid', `${field}: ${expected}`, field);
}
