/**
 * Parses JSON objects, and refuses an object that two parsers could read differently.
 *
 * RFC 7515 section 4 and RFC 7519 section 4 let a parser refuse an object with a duplicate name, or use the last value.
 * This parser refuses it. Otherwise an attacker could show different claims to two parsers of one token.
 */
import { isUtf8 } from 'node:buffer';

/** A parsed object. Read only its own properties: a claim may be named `__proto__` or `constructor`. */
export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 32;
const MAX_MEMBERS = 1_000;

const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** White space in JSON: tab, line feed, carriage return, space (RFC 8259 §2). */
const WHITE_SPACE = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Parses the bytes of one JSON object. Returns `undefined` if the bytes are not valid JSON in UTF-8 without a
 * byte-order mark, or are not an object. Also returns `undefined` for a duplicate name, a depth above 32, or more than
 * 1,000 members and elements in total.
 */
export function parseJsonObject(bytes: Buffer): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return isUnambiguous(text, value) ? (value as JsonObject) : undefined;
}

/** Returns the value of an own property; `undefined` for an inherited one, such as `constructor`. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Freezes parsed JSON deeply, so that no handler can change what later requests see. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

/**
 * Checks that a valid JSON text has no duplicate name, and is within `MAX_DEPTH` and `MAX_MEMBERS`. `JSON.parse` keeps
 * each name once, so a text with a duplicate name contains more names than the parsed value.
 */
function isUnambiguous(text: string, value: object): boolean {
  const size = { names: 0, elements: 0 };
  return measure(value, 1, size) && size.names + size.elements <= MAX_MEMBERS && namesIn(text) === size.names;
}

/** Counts the names and elements in a value. Returns `false` if the value nests too deep. */
function measure(value: object, depth: number, size: { names: number; elements: number }): boolean {
  if (depth > MAX_DEPTH) return false;
  const members = Object.values(value);
  size[Array.isArray(value) ? 'elements' : 'names'] += members.length;
  return members.every((member) => typeof member !== 'object' || member === null || measure(member, depth + 1, size));
}

/** Counts the names in a valid JSON text, which are the strings before a colon. */
function namesIn(text: string): number {
  let names = 0;
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = endOfString(text, start);
    if (nextAfter(text, end) === COLON) names += 1;
    start = text.indexOf('"', end + 1);
  }
  return names;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Checks whether a character is escaped: whether an odd number of backslashes is before it. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

function nextAfter(text: string, index: number): number {
  let i = index + 1;
  while (WHITE_SPACE.includes(text.charCodeAt(i))) i += 1;
  return text.charCodeAt(i);
}
