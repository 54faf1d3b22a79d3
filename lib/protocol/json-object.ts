/**
 * JSON objects that mean one thing to every reader.
 *
 * RFC 7515 §4 and RFC 7519 §4 allow a parser to refuse duplicate names or to take the last one. We refuse: where two
 * parsers of one token disagree, each can be shown what it wants to see.
 */
import { isUtf8 } from 'node:buffer';

/** A parsed object. Read it by own properties alone: a claim may be called `__proto__` or `constructor`. */
export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 32;
const MAX_MEMBERS = 1_000;

const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** RFC 8259 §2: tab, line feed, carriage return, space. */
const WHITE_SPACE = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Parses the bytes of one JSON object, or returns `undefined`: for text that is not UTF-8, has a byte-order mark, is
 * not JSON or not an object, names a member twice, nests deeper than 32 or holds more than 1,000 members and elements.
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

/** The value of a member of the object's own, never one that it inherits. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Whether a text that is known to be JSON names no member twice, and keeps the bounds: a name that came twice is once in the
 * value, so the text has more names than the value has members.
 */
function isUnambiguous(text: string, value: object): boolean {
  const size = { names: 0, elements: 0 };
  return measure(value, 1, size) && size.names + size.elements <= MAX_MEMBERS && namesIn(text) === size.names;
}

/** Counts what a value holds, at every depth; `false` where it nests too deep. */
function measure(value: object, depth: number, size: { names: number; elements: number }): boolean {
  if (depth > MAX_DEPTH) return false;
  const members = Object.values(value);
  size[Array.isArray(value) ? 'elements' : 'names'] += members.length;
  return members.every((member) => typeof member !== 'object' || member === null || measure(member, depth + 1, size));
}

/** How many members a text that is known to be JSON names: its strings with a colon after them. */
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

/** Whether an odd number of backslashes stands before a character. */
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
