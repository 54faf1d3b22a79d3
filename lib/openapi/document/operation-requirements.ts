/** Finds the verifiers and scopes that each operation of a document requires. */
import type { OpenApiDocument, Operation } from './read-document.js';
import { linkSecurity, type Requirement } from './requirement.js';
import { linkSchemes, readProofs } from './scheme-verifiers.js';

export interface OperationRequirement {
  readonly operation: Operation;
  readonly requirement: Requirement;
}

/**
 * Returns the operations of a document, each with a requirement that has verifiers in place of the names of schemes.
 *
 * @param factory - The name of the function that has the option `schemes`, for error messages.
 * @throws TypeError if a scheme has no verifier or the wrong kind of verifier, if a verifier has no scheme, or if no
 *   operation requires a scheme.
 */
export function readOperationRequirements(
  factory: string,
  parsed: OpenApiDocument,
  schemes: unknown,
): readonly OperationRequirement[] {
  const { operations, outgoing } = parsed;
  const linked = linkSchemes(factory, parsed, readProofs(factory, schemes));
  const asked = operations.flatMap(({ security }) =>
    security.alternatives.flatMap((alternative) => alternative.schemes),
  );
  const used = new Set(asked.map(({ name }) => name));
  const idle = [...linked.keys()].find((name) => !used.has(name));
  if (idle !== undefined && outgoing.has(idle)) {
    throw new TypeError(
      `${factory}: only webhooks and callbacks of the document use the scheme "${idle}"; remove it from the option "schemes"`,
    );
  }
  if (idle !== undefined) {
    throw new TypeError(
      `${factory}: no operation of the document uses the scheme "${idle}"; remove it from components.securitySchemes and from the option "schemes"`,
    );
  }
  return operations.map((operation) => ({ operation, requirement: linkSecurity(operation.security, linked) }));
}
