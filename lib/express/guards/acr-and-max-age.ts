/**
 * Validates how a route requires its users to have authenticated (RFC 9470): the accepted `acr` values, and the maximum
 * number of seconds since then.
 */
import { isScopeToken } from '../../protocol/scope.js';

/**
 * Whether a value is a list of one or more `acr` values. An `acr` value must not contain spaces, because a challenge
 * separates the values with spaces (RFC 9470 section 3).
 */
export function isAcrList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isScopeToken);
}

/** Whether a value is a maximum age in seconds. 0 is not allowed, because every token would be refused. */
export function isMaxAge(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
