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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

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
  return isUnambiguous(text) ? (value as JsonObject) : undefined;
}

/** The value of a member of the object's own, never one that it inherits. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Walks text that is known to be JSON: names within each object, depth, and how many members and elements it has. */
function isUnambiguous(text: string): boolean {
  const open: Set<string>[] = [];
  let members = 0;
  for (let i = 0; i < text.length; i += 1) {
    switch (text[i]) {
      case '{':
      case '[':
        if (open.push(new Set()) > MAX_DEPTH) return false;
        if (!isEmpty(text, i)) members += 1;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        members += 1;
        break;
      case '"': {
        const end = endOfString(text, i);
        // In JSON only the name of a member is a string with a colon after it.
        if (nextAfter(text, end) === ':') {
          const name: string = JSON.parse(text.slice(i, end + 1));
          const names = open.at(-1);
          if (names === undefined || names.has(name)) return false;
          names.add(name);
        }
        i = end;
        break;
      }
    }
    if (members > MAX_MEMBERS) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}

/** Whether the list or object that opens here holds nothing; else its first member has no comma to be counted by. */
function isEmpty(text: string, start: number): boolean {
  const next = nextAfter(text, start);
  return next === '}' || next === ']';
}

function nextAfter(text: string, index: number): string | undefined {
  let i = index + 1;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i += 1;
  return text[i];
}
