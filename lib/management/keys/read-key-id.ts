/** Reads the id of a key from a request. */
import { invalid } from '../management-error.js';

const CREATED_ID = /^(?:key|ack)_[a-z2-7]{26}$/;

/**
 * Returns the id to look up; `undefined` if the value is not a string.
 *
 * @throws ManagementError `invalid` for a string with NUL, which PostgreSQL cannot store.
 */
export function readKeyId(field: string, id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  if (id.includes('\0')) throw invalid(field, 'expected a string without NUL');
  return id;
}

/**
 * Returns the id for the audit log. Anything that does not have the form of an id that keyward creates gives
 * `undefined`, because a caller may have sent a credential instead of an id.
 */
export function subjectOf(id: unknown): string | undefined {
  return typeof id === 'string' && CREATED_ID.test(id) ? id : undefined;
}
