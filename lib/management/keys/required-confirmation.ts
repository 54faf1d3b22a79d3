/** Reads and stores the setting `requireConfirmation` of access keys. */
import type { KeyRow } from '../../store/tables.js';
import { readOneOf } from '../fields.js';

/**
 * How access tokens must be bound: `'dpop'` by DPoP, `'mtls'` by a TLS certificate, `true` by either. `null`: they need
 * not be bound.
 */
export type RequiredConfirmation = 'dpop' | 'mtls' | true | null;

/**
 * Reads the setting; if it is not given, returns the value of `row`.
 *
 * @throws ManagementError `invalid`
 */
export function readConfirmation(value: unknown, row: KeyRow | undefined): KeyRow['require_confirmation'] {
  if (value === undefined) return row?.require_confirmation ?? null;
  if (value === null) return null;
  return value === true ? 'any' : readOneOf('requireConfirmation', value, ['dpop', 'mtls'] as const);
}

export function toConfirmation({ require_confirmation }: KeyRow): RequiredConfirmation {
  return require_confirmation === 'any' ? true : require_confirmation;
}
