/**
 * Validates the fields of a record. Each function takes the name of a field and its value, and throws if the value is
 * wrong.
 */
import { types } from 'node:util';
import { isScopeToken } from '../../protocol/scope.js';
import { isAddressRange } from '../address-list.js';
import { copyRateLimits, isRateLimits, RATE_LIMITS_EXPECTED, type RateLimit } from '../rate-limit.js';
import { RecordError } from './record-error.js';

const MAX_METADATA = 64;
const MAX_METADATA_NAME = 40;
const MAX_METADATA_VALUE = 500;
export const MAX_ADDRESSES = 256;

/** The value that `isMetadata` expects, for error messages. */
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
  return value === 'all' ? value : list(field, value, isName);
}

export function scopes(field: string, value: unknown): readonly string[] {
  return list(field, value, isScopeToken);
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

/** Reads addresses and networks. An empty list is refused as a mistake: it would allow no address. */
export function addresses(field: string, value: unknown): readonly string[] {
  const ranges: unknown[] = Array.isArray(value) ? [...value] : [];
  if (ranges.length === 0 || ranges.length > MAX_ADDRESSES || !ranges.every(isAddressRange)) {
    throw new RecordError(`${field}: expected 1 to ${MAX_ADDRESSES} IP addresses or networks in CIDR notation`);
  }
  return Object.freeze(ranges);
}

/** Reads limits of `requireRateLimit`. An empty list is refused as a mistake: it would limit nothing. */
export function rateLimits(field: string, value: unknown): readonly RateLimit[] {
  if (!isRateLimits(value)) throw new RecordError(`${field}: expected ${RATE_LIMITS_EXPECTED}`);
  return copyRateLimits(value);
}

/** Reads metadata, and returns a frozen copy. */
export function metadata(field: string, value: unknown): Readonly<Record<string, string>> {
  if (!isMetadata(value)) throw new RecordError(`${field}: expected ${METADATA_EXPECTED}`);
  return Object.freeze(Object.fromEntries(Object.entries(value)));
}

/**
 * Checks metadata. Names of properties of `Object.prototype` are refused: code that reads metadata as an ordinary
 * object would confuse them with inherited properties.
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

function list(field: string, value: unknown, isMember: (member: unknown) => member is string): readonly string[] {
  const members: unknown[] = Array.isArray(value) ? [...value] : [undefined];
  if (!members.every(isMember)) throw new RecordError(`${field}: expected a list of names`);
  return Object.freeze(members);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
