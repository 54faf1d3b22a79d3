/** Reads the operations of a document, and finds for each the verifiers and scopes that it requires. */
import type { OpenApiDocument, Operation } from './read-document.js';
import { linkSchemes, readProofs } from './schemes.js';
import { linkSecurity, type Requirement } from './verifier-requirement.js';

export interface LinkedOperation {
  readonly operation: Operation;
  readonly requirement: Requirement;
}

/**
 * Connects the operations of a document with the verifiers of their schemes.
 *
 * @param factory - The function with the option `schemes`, for errors.
 * @throws TypeError if document and verifiers do not fit, or if no operation requires a scheme.
 */
export function linkOperations(
  factory: string,
  { operations, schemes: declared }: OpenApiDocument,
  schemes: unknown,
): readonly LinkedOperation[] {
  const linked = linkSchemes(factory, declared, readProofs(factory, schemes));
  const asked = operations.flatMap(({ security }) =>
    security.alternatives.flatMap((alternative) => alternative.schemes),
  );
  const used = new Set(asked.map(({ name }) => name));
  const idle = [...declared.keys()].find((name) => !used.has(name));
  if (idle !== undefined) {
    throw new TypeError(
      `${factory}: no operation of the document asks for the scheme "${idle}"; remove it from components.securitySchemes and from option "schemes"`,
    );
  }
  return operations.map((operation) => ({ operation, requirement: linkSecurity(operation.security, linked) }));
}
