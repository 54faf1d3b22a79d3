/** Validates the values that members and the operator pass to management. Each error names the wrong field. */
import { types } from 'node:util';
import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import { isScopeToken, SCOPE_CHARACTERS } from '../protocol/scope.js';
import { UNPRINTABLE } from './invisible-characters.js';
import { invalid } from './management-error.js';

/** The maximum length of the id of an account, an API, a channel or a platform. */
export const ID_LENGTH = 64;
const ID = /^[A-Za-z0-9][\w.:-]{0,63}$/;
const KEY_ID = /^[A-Za-z0-9][\w-]{0,63}$/;
/** The last millisecond of the year 9999. ISO 8601 and PostgreSQL write later years in a different format. */
export const MAX_TIME = Date.UTC(10_000, 0) - 1;
const BEGINNING = 'that begins with a letter or digit';
const REFUSED = '"prototype" and the names of built-in object properties, such as "constructor", are reserved';
const RESERVED = ['all', 'prototype'];
const NAME_LENGTH = 100;
/** The maximum number of APIs, scopes, channels or platforms of an account or a key. */
export const LIST_LENGTH = 100;
const ACTOR_LENGTH = 256;

export type Given = Readonly<Record<string, unknown>>;

/**
 * Checks that a value is an object, and that it has no other fields than the ones in `fields`.
 *
 * @throws ManagementError `invalid`
 */
export function readGiven(value: unknown, fields: readonly string[]): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('request', 'expected an object');
  // `Reflect.ownKeys` also returns symbols, and an own property `__proto__`, which JSON.parse can create.
  for (const field of Reflect.ownKeys(value)) {
    if (typeof field !== 'string' || !fields.includes(field)) {
      throw invalid(String(field), `unknown field; expected one of ${fields.join(', ')}`);
    }
  }
  return Object.assign(Object.create(null), value);
}

export function readText(field: string, value: unknown): string {
  // PostgreSQL cannot store a string with NUL.
  if (typeof value !== 'string' || value === '' || value.includes('\0'))
    throw invalid(field, 'expected a non-empty string without NUL characters');
  return value;
}

/**
 * Validates the id of a member or the name of an operator, which the audit log shows as the actor. The log has an index
 * of actors, and PostgreSQL refuses to write texts of some thousand characters into an index.
 */
export function readActor(field: string, value: unknown): string {
  const actor = readText(field, value);
  if (actor.length > ACTOR_LENGTH) throw invalid(field, `expected at most ${ACTOR_LENGTH} characters`);
  return actor;
}

export function readOneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(field, `expected ${alternatives(allowed)}`);
  return found;
}

export function readEnvironment(value: unknown): Environment {
  return value === undefined ? 'live' : readOneOf('environment', value, ENVIRONMENTS);
}

/**
 * Validates a display name: at most 100 characters of any script, without invisible characters except spaces.
 *
 * @returns `null` if the name is absent or empty.
 */
export function readName(field: string, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  const isName =
    typeof value === 'string' && value.length <= NAME_LENGTH && value.trim() !== '' && !UNPRINTABLE.test(value);
  if (!isName)
    throw invalid(
      field,
      `expected at most ${NAME_LENGTH} characters, not all of them spaces; tabs, line breaks and invisible formatting characters are not allowed`,
    );
  return value;
}

/** Validates the id of an account, an API, a channel or a platform. */
export function readId(field: string, value: unknown): string {
  // Reject names of `Object.prototype`: ids may be used as object keys.
  if (typeof value !== 'string' || !ID.test(value) || value in {} || RESERVED.includes(value)) {
    const refused = `"all", ${REFUSED}`;
    throw invalid(
      field,
      `expected a string of 1 to 64 characters (A-Z, a-z, 0-9, "_", ".", ":" and "-") ${BEGINNING}; ${refused}`,
    );
  }
  return value;
}

/**
 * Validates the id that an imported key will have. The id becomes part of URLs, so `.` and `:` are not allowed. `new`
 * is not allowed in upper or lower case, because `keys/new` is the page of the Dashboard that creates a key.
 */
export function readNewKeyId(field: string, value: unknown): string {
  const isId = typeof value === 'string' && KEY_ID.test(value) && !(value in {}) && value.toLowerCase() !== 'new';
  if (!isId || RESERVED.includes(value)) {
    const refused = `"new", "all", ${REFUSED}`;
    throw invalid(
      field,
      `expected a string of 1 to 64 characters (A-Z, a-z, 0-9, "_" and "-") ${BEGINNING}; ${refused}`,
    );
  }
  return value;
}

export function readIds(field: string, value: unknown): readonly string[] {
  return readList(field, value).map((member) => readId(field, member));
}

export function readAllOrIds(field: string, value: unknown): 'all' | readonly string[] {
  if (value === 'all') return 'all';
  if (!Array.isArray(value)) throw invalid(field, 'expected "all" or a list of IDs');
  return readIds(field, value);
}

export function readScopes(field: string, value: unknown): readonly string[] {
  const scopes = readList(field, value);
  if (!scopes.every(isScopeToken)) throw invalid(field, `expected scopes that consist of ${SCOPE_CHARACTERS}`);
  return scopes;
}

/**
 * Validates a time.
 *
 * @returns Milliseconds since 1970; `null` if no time was given.
 */
export function readTime(field: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const time = types.isDate(value) ? value.getTime() : Number.NaN;
  if (!(time >= 0 && time <= MAX_TIME)) throw invalid(field, 'expected a Date from 1970 to 9999');
  return time;
}

/** Validates a time like `readTime`, and also refuses a time that is not in the future. */
export function readFuture(field: string, value: unknown, now: number): number | null {
  const time = readTime(field, value);
  if (time !== null && time <= now) throw invalid(field, 'expected a time in the future');
  return time;
}

export function readFlag(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalid(field, 'expected true or false');
  return value;
}

/** Joins names as a sentence does: `active, disabled or expired`. */
function alternatives(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

function readList(field: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > LIST_LENGTH)
    throw invalid(field, `expected a list of at most ${LIST_LENGTH} entries`);
  if (new Set(value).size < value.length) throw invalid(field, 'expected a list without duplicates');
  return [...value];
}
