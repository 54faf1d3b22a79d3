/** Reads what a member gave, field by field: what is unknown, missing or wrong is said by name. */
import { types } from 'node:util';
import { isScopeToken } from '../protocol/scope.js';
import { invalid } from './management-error.js';

const ID = /^[A-Za-z0-9][\w.:-]{0,63}$/;
const RESERVED = ['all', 'prototype'];
const NAME_LENGTH = 100;
/** Control characters, those that turn the direction of a text or hide in it, and letters without a shape. */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;
const LIST_LENGTH = 100;

export type Given = Readonly<Record<string, unknown>>;

/** @throws ManagementError for what is no object of the fields named. */
export function readGiven(value: unknown, fields: readonly string[]): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('request', 'expected an object');
  // Own keys, `__proto__` among them where JSON made it one.
  for (const field of Reflect.ownKeys(value)) {
    if (typeof field !== 'string' || !fields.includes(field)) {
      throw invalid(String(field), `there is no such field; there are ${fields.join(', ')}`);
    }
  }
  return Object.assign(Object.create(null), value);
}

export function readText(field: string, value: unknown): string {
  // PostgreSQL has no text with a NUL in it.
  if (typeof value !== 'string' || value === '' || value.includes('\0')) throw invalid(field, 'expected a text');
  return value;
}

export function readOneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(field, `expected ${allowed.join(' or ')}`);
  return found;
}

/** A name for people: any script, and nothing that is not seen. */
export function readName(field: string, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  const isName =
    typeof value === 'string' && value.length <= NAME_LENGTH && value.trim() !== '' && !NOT_SHOWN.test(value);
  if (!isName) throw invalid(field, `expected at most ${NAME_LENGTH} characters that can be seen`);
  return value;
}

/** A name for programs: an account, an API, a channel, a platform. */
export function readId(field: string, value: unknown): string {
  // `constructor`, `toString`: somebody somewhere will look it up in an object.
  if (typeof value !== 'string' || !ID.test(value) || value in {} || RESERVED.includes(value)) {
    throw invalid(
      field,
      'expected 1 to 64 of A-Z a-z 0-9 _ . : -, beginning with a letter or digit; not "all", "prototype" or "constructor"',
    );
  }
  return value;
}

export function readIds(field: string, value: unknown): readonly string[] {
  return readList(field, value).map((member) => readId(field, member));
}

export function readAllOrIds(field: string, value: unknown): 'all' | readonly string[] {
  return value === 'all' ? 'all' : readIds(field, value);
}

export function readScopes(field: string, value: unknown): readonly string[] {
  const scopes = readList(field, value);
  if (!scopes.every(isScopeToken)) throw invalid(field, 'expected scopes without spaces, quotes or backslashes');
  return scopes;
}

/** A time to come. */
export function readFuture(field: string, value: unknown, now: number): number | null {
  if (value === undefined || value === null) return null;
  const time = types.isDate(value) ? value.getTime() : Number.NaN;
  if (!(time > now)) throw invalid(field, 'expected a time to come');
  return time;
}

export function readFlag(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalid(field, 'expected true or false');
  return value;
}

function readList(field: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > LIST_LENGTH)
    throw invalid(field, `expected a list of at most ${LIST_LENGTH}`);
  if (new Set(value).size < value.length) throw invalid(field, 'expected each one once');
  return [...value];
}
