/** Validates the id of a key that a member sends. */
import { invalid } from '../management-error.js';

const CREATED_ID = /^(?:key|ack)_[a-z2-7]{26}$/;

/**
 * Returns the id with which to look up a key; `undefined` if the value is not a string.
 *
 * @throws ManagementError `invalid` for a string with NUL, which PostgreSQL cannot store.
 */
export function readKeyId(field: string, id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  if (id.includes('\0')) throw invalid(field, 'expected a string without NUL characters');
  return id;
}

/**
 * Returns the id for the audit log. A value without the form of an id that keyward creates gives `undefined`: it may be
 * a credential that was sent by mistake, which must not be logged.
 */
export function subjectOf(id: unknown): string | undefined {
  return typeof id === 'string' && CREATED_ID.test(id) ? id : undefined;
}

/**
 * Returns the noun in the audit log for the key with a given id. It is taken from the prefix of the id, because a call
 * without permission must not look up the key.
 */
export function auditNounOf(id: unknown): 'access_key' | 'key' {
  return subjectOf(id)?.startsWith('ack_') ? 'access_key' : 'key';
}
