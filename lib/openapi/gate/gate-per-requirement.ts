/** Makes one gate for each different security requirement of an OpenAPI document. */

import type { Middleware } from '../../express/middleware.js';
import type { GateMetadata } from '../../express/route-metadata.js';
import { type Requirement, requirementKeys } from '../document/requirement.js';
import { createOperationGate } from './requirement-gate.js';

/** The gate of a requirement, and its metadata. Both are absent for an open operation, which needs no gate. */
export interface RequirementGate {
  readonly requirement: Requirement;
  readonly handle?: Middleware;
  readonly metadata?: GateMetadata;
}

export interface RequirementGates {
  readonly all: () => readonly RequirementGate[];
  /** Returns the gate of a requirement: the same object for equal requirements. */
  readonly of: (requirement: Requirement) => RequirementGate;
}

export function createRequirementGates(): RequirementGates {
  const keyOf = requirementKeys();
  const gates = new Map<string, RequirementGate>();
  return {
    all: () => [...gates.values()],
    of(requirement) {
      const allowSchemeless = requirement.alternatives.some((alternative) => alternative.allowSchemeless);
      const key = `${keyOf(requirement)} ${allowSchemeless}`;
      const gate =
        gates.get(key) ?? (requirement.alternatives.length === 0 ? { requirement } : createOperationGate(requirement));
      gates.set(key, gate);
      return gate;
    },
  };
}
