/**
 * Reads the security requirements of a document (OpenAPI "Security Requirement Object"). They contain names of schemes,
 * but no verifiers yet.
 */
import { isScopeToken, SCOPE_CHARACTERS } from '../../protocol/scope.js';
import { elementsOf, faultAt, membersOf, mistakeAt, type Place } from './json-pointer.js';

/**
 * The requirement of an operation. A request must satisfy one of the alternatives. If there are none, or only an empty
 * one, the operation is open.
 */
export interface WrittenSecurity {
  readonly alternatives: readonly WrittenAlternative[];
  /** Whether the operation or the whole document has `security`, even if it is `[]`. */
  readonly isStated: boolean;
  readonly pointer: string;
}

/** One alternative: all of its schemes are required. If it has no schemes, it requires nothing. */
export interface WrittenAlternative {
  readonly schemes: readonly { readonly name: string; readonly scopes: readonly string[] }[];
  readonly pointer: string;
}

/**
 * Reads a list of requirements.
 *
 * @param declared - The names of the schemes of the document.
 * @throws TypeError if the value is not a list of requirements, and for a scheme that the document does not declare.
 */
export function readSecurity(place: Place, declared: ReadonlySet<string>): WrittenSecurity {
  const alternatives = elementsOf(place).map((alternative) => ({
    schemes: membersOf(alternative).map(([name, scopes]) => readScheme(name, scopes, declared)),
    pointer: alternative.pointer,
  }));
  return { alternatives, isStated: true, pointer: place.pointer };
}

/** Returns the security of an operation if neither the operation nor the document has `security`. */
export function unstatedSecurity({ pointer }: Place): WrittenSecurity {
  return { alternatives: [], isStated: false, pointer };
}

function readScheme(name: string, place: Place, declared: ReadonlySet<string>) {
  if (!declared.has(name)) throw faultAt(place, 'this scheme is not in components.securitySchemes');
  const scopes = elementsOf(place).map((scope) => {
    if (!isScopeToken(scope.value))
      throw mistakeAt(scope, `expected a scope that consists of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3)`);
    return scope.value;
  });
  return { name, scopes: Object.freeze([...new Set(scopes)]) };
}
