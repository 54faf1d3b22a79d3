/**
 * Validates single fields of a record. Except `isMetadata`, each function takes the name of a field, for the error
 * message, and its value. It throws a `RecordError` if the value is wrong.
 */
import { types } from 'node:util';
import { isScopeToken, SCOPE_CHARACTERS } from '../../protocol/scope.js';
import { isAddressRange } from '../address-list.js';
import { copyRateLimits, isRateLimits, RATE_LIMITS_EXPECTED, type RateLimit } from '../rate-limit.js';
import { RecordError } from './record-error.js';

const MAX_METADATA = 64;
const MAX_METADATA_NAME = 40;
const MAX_METADATA_VALUE = 500;
export const MAX_ADDRESSES = 256;

/** Describes what `isMetadata` accepts, for error messages. */
export const METADATA_EXPECTED = `at most ${MAX_METADATA} entries, each with a name of 1 to ${MAX_METADATA_NAME} characters and a value of up to ${MAX_METADATA_VALUE} characters`;

export function absentOr<T>(field: string, value: unknown, read: (field: string, value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(field, value);
}

export function name(field: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new RecordError(`${field}: expected a non-empty string`);
  return value;
}

export function oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  if (!allowed.includes(value as T)) throw new RecordError(`${field}: expected ${allowed.join(' or ')}`);
  return value as T;
}

export function allOrNames(field: string, value: unknown): 'all' | readonly string[] {
  return value === 'all' ? value : list(field, value, isName, '"all" or a list of non-empty strings');
}

export function scopes(field: string, value: unknown): readonly string[] {
  return list(field, value, isScopeToken, `a list of scopes that consist of ${SCOPE_CHARACTERS}`);
}

export function instant(field: string, value: unknown): number {
  const time = types.isDate(value) ? value.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new RecordError(`${field}: expected a Date`);
  return time;
}

export function flag(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new RecordError(`${field}: expected a boolean`);
  return value;
}

/**
 * Validates addresses and networks. An empty list is refused, because it is probably a mistake: the key could not be
 * used from any address.
 */
export function addresses(field: string, value: unknown): readonly string[] {
  const ranges: unknown[] = Array.isArray(value) ? [...value] : [];
  if (ranges.length === 0 || ranges.length > MAX_ADDRESSES || !ranges.every(isAddressRange)) {
    throw new RecordError(`${field}: expected 1 to ${MAX_ADDRESSES} IP addresses or networks in CIDR notation`);
  }
  return Object.freeze(ranges);
}

/**
 * Validates the limits that `requireRateLimit` enforces. An empty list is refused, because it is probably a mistake: it
 * would limit nothing.
 */
export function rateLimits(field: string, value: unknown): readonly RateLimit[] {
  if (!isRateLimits(value)) throw new RecordError(`${field}: expected ${RATE_LIMITS_EXPECTED}`);
  return copyRateLimits(value);
}

/** Validates metadata, and returns a frozen copy. */
export function metadata(field: string, value: unknown): Readonly<Record<string, string>> {
  if (!isMetadata(value)) throw new RecordError(`${field}: expected ${METADATA_EXPECTED}`);
  return Object.freeze(Object.fromEntries(Object.entries(value)));
}

/**
 * Checks metadata. A name such as `constructor` is refused: code that reads metadata as an ordinary object would
 * confuse it with the property of `Object.prototype`.
 */
export function isMetadata(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= MAX_METADATA && entries.every(isMetadataEntry);
}

function isMetadataEntry([key, value]: readonly [string, unknown]): boolean {
  const isKey = key !== '' && key.length <= MAX_METADATA_NAME && !(key in Object.prototype);
  return isKey && typeof value === 'string' && value.length <= MAX_METADATA_VALUE;
}

function list(
  field: string,
  value: unknown,
  isMember: (member: unknown) => member is string,
  expected: string,
): readonly string[] {
  const members: unknown[] = Array.isArray(value) ? [...value] : [undefined];
  if (!members.every(isMember)) throw new RecordError(`${field}: expected ${expected}`);
  return Object.freeze(members);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
