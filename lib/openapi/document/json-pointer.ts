/**
 * Finds values in an OpenAPI document, with their JSON pointers (RFC 6901). It also follows local references (`$ref`),
 * and makes errors that name a pointer.
 */
import { kindOf } from '../../options/options.js';

/** A value, and where it is in its document. */
export interface Place {
  readonly value: unknown;
  /** The JSON pointer after `#`, not percent-encoded: `#/paths/~1pets`. */
  readonly pointer: string;
}

/** Returns the own members of an object. A member named `__proto__` is treated like any other member. */
export function membersOf(place: Place): readonly (readonly [name: string, member: Place])[] {
  return Object.entries(objectAt(place)).map(([name, value]) => [name, { value, pointer: join(place.pointer, name) }]);
}

/** Returns an own member; `undefined` if there is none. */
export function memberOf(place: Place, name: string): Place | undefined {
  const object = objectAt(place);
  return Object.hasOwn(object, name) ? { value: object[name], pointer: join(place.pointer, name) } : undefined;
}

/** @throws TypeError if the value is not an object. */
export function objectAt(place: Place): Readonly<Record<string, unknown>> {
  const { value } = place;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw mistakeAt(place, 'expected an object');
}

/** Returns the elements of an array. */
export function elementsOf(place: Place): readonly Place[] {
  if (!Array.isArray(place.value)) throw mistakeAt(place, 'expected an array');
  return Array.from(place.value, (value, index) => ({ value, pointer: join(place.pointer, String(index)) }));
}

export function mistakeAt({ value, pointer }: Place, expected: string): TypeError {
  return new TypeError(`${placeName(pointer)}: ${expected}, got ${kindOf(value)}`);
}

/**
 * Makes an error about a place in the document. Unlike `mistakeAt`, it does not add the type of the value to the
 * message.
 */
export function faultAt({ pointer }: Pick<Place, 'pointer'>, fault: string): TypeError {
  return new TypeError(`${placeName(pointer)}: ${fault}`);
}

function placeName(pointer: string): string {
  return pointer === '#' ? 'OpenAPI document' : `OpenAPI document, ${pointer}`;
}

/**
 * Returns the object that `$ref` refers to in the same document, or the place itself if it has no `$ref`.
 *
 * @param refused - Names of members that an object with a `$ref` must not have.
 * @throws TypeError if a reference is circular, points outside the document or has no target, or if an object with a
 *   `$ref` has one of the `refused` members.
 */
export function resolve(root: Place, place: Place, refused: readonly string[] = []): Place {
  const seen = new Set<string>();
  let found = place;
  for (let reference = memberOf(found, '$ref'); reference !== undefined; reference = memberOf(found, '$ref')) {
    if (seen.has(reference.pointer)) throw faultAt(reference, 'this $ref is circular');
    const beside = refused.find((name) => memberOf(found, name) !== undefined);
    if (beside !== undefined)
      throw faultAt(
        found,
        `"${beside}" is next to a $ref, and OpenAPI does not define which of them applies; move it into the target of the $ref`,
      );
    seen.add(reference.pointer);
    found = targetOf(root, reference);
  }
  return found;
}

function targetOf(root: Place, reference: Place): Place {
  const { value } = reference;
  if (typeof value !== 'string') throw mistakeAt(reference, 'expected a string');
  if (value !== '#' && !value.startsWith('#/')) {
    throw faultAt(reference, 'this $ref points outside the document; copy its target into the document');
  }
  let found = root;
  for (const token of value.split('/').slice(1)) {
    const member = isContainer(found.value) ? memberOf(found, unescapeToken(reference, token)) : undefined;
    if (member === undefined) throw faultAt(reference, 'this $ref has no target in the document');
    found = member;
  }
  return found;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Decodes a token of a pointer: percent-decoding first, then `~1` before `~0` (RFC 6901 sections 4 and 6). */
function unescapeToken(reference: Place, token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw faultAt(reference, 'this $ref has an invalid percent-escape; write % as %25');
  }
}

function join(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
