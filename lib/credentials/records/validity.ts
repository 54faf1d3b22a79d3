/** Tells when a credential ends, and whether it has ended: expired, revoked or disabled. */
import { absentOr, flag, instant } from './record-fields.js';

/**
 * When a credential expires and when it is revoked, in milliseconds since 1970 (`Infinity` for never), and whether it
 * is disabled.
 */
export interface Validity {
  readonly expiresAt: number;
  readonly revokedAt: number;
  readonly disabled: boolean;
}

/** Why a credential is no longer valid. */
export type Ended = 'revoked' | 'expired' | 'disabled';

/** Returns why a credential is no longer valid at a time in milliseconds since 1970; `undefined` if it is valid. */
export function endedAt(validity: Validity, now: number): Ended | undefined {
  if (validity.revokedAt <= now) return 'revoked';
  if (validity.expiresAt <= now) return 'expired';
  return validity.disabled ? 'disabled' : undefined;
}

/**
 * Reads from a record when a credential ends.
 *
 * @param acceptedUntil - When the grace period ends, if the old secret of a rotated key was presented. The result has
 *   the earlier of this time and `expiresAt` of the record.
 * @throws RecordError for an invalid time or flag.
 */
export function readValidity(
  record: { readonly expiresAt?: unknown; readonly revokedAt?: unknown; readonly disabled?: unknown },
  acceptedUntil = Number.POSITIVE_INFINITY,
): Validity {
  const expiresAt = absentOr('expiresAt', record.expiresAt, instant) ?? Number.POSITIVE_INFINITY;
  return {
    expiresAt: Math.min(expiresAt, acceptedUntil),
    revokedAt: absentOr('revokedAt', record.revokedAt, instant) ?? Number.POSITIVE_INFINITY,
    disabled: absentOr('disabled', record.disabled, flag) ?? false,
  };
}
