/** Why management did not do what it was asked: for a member, who can mend it. */

export type ManagementErrorCode =
  /** 400: a field is missing, unknown or wrong; `field` names it. */
  | 'invalid'
  /** 401: nobody is acting, or somebody without an account. */
  | 'no_member'
  /** 403: the member lacks the permission that the action needs. */
  | 'forbidden'
  /** 404: there is no such key or account, or it is another account's. */
  | 'not_found'
  /** 409: somebody else edited it meanwhile; view it and try again. */
  | 'version_conflict'
  /** 409: it was deleted; that is final. */
  | 'revoked'
  /** 409: an idempotency key was used for something else before. */
  | 'idempotency_conflict'
  /** 503: the store cannot be reached. */
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

/** What management throws. Its message may be shown to the member: it never holds a credential. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  readonly code: ManagementErrorCode;
  /** The HTTP status that fits. */
  readonly status: number;
  /** The field that is wrong; `undefined` where it is none. */
  readonly field: string | undefined;

  /** @param cause - For the operator: a `StoreError`, which may be logged. */
  constructor(code: ManagementErrorCode, message: string, field?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = STATUS[code];
    this.field = field;
  }
}

export function noSuchAccount(): ManagementError {
  return new ManagementError('not_found', 'there is no such account');
}

export function invalid(field: string, expected: string): ManagementError {
  return new ManagementError('invalid', `${field}: ${expected}`, field);
}
