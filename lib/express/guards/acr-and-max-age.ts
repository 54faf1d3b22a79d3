/**
 * Validates what a route requires of the authentication of a user (RFC 9470): the accepted `acr` values, and the
 * maximum age in seconds.
 */
import { isScopeToken } from '../../protocol/scope.js';

/**
 * Whether a value is a list of one or more `acr` values. They contain no spaces, because a challenge separates them
 * with spaces (RFC 9470 section 3).
 */
export function isAcrList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isScopeToken);
}

/** Whether a value is a maximum age in seconds. 0 is not allowed, because it would refuse every token. */
export function isMaxAge(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
