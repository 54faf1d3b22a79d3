/** Converts the setting `requireConfirmation` of an access key to its database column and back. */
import type { KeyRow } from '../../store/tables.js';
import { invalid } from '../management-error.js';

/**
 * How the access tokens of an access key must be bound to the client: `'dpop'` by DPoP, `'mtls'` by its TLS
 * certificate, `true` by either. `null`: they need not be bound.
 */
export type RequiredConfirmation = 'dpop' | 'mtls' | true | null;

/**
 * Validates the setting. If it is not given, returns the value that is stored in `row`.
 *
 * @throws ManagementError `invalid`
 */
export function readConfirmation(value: unknown, row: KeyRow | undefined): KeyRow['require_confirmation'] {
  if (value === undefined) return row?.require_confirmation ?? null;
  if (value === null) return null;
  if (value === true) return 'any';
  if (value === 'dpop' || value === 'mtls') return value;
  throw invalid('requireConfirmation', 'expected "dpop", "mtls", true or null');
}

export function toConfirmation({ require_confirmation }: KeyRow): RequiredConfirmation {
  return require_confirmation === 'any' ? true : require_confirmation;
}
