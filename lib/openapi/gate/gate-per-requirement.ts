/** Makes one gate for each different security requirement of an OpenAPI document. */

import type { Middleware } from '../../express/middleware.js';
import type { GateMetadata } from '../../express/route-metadata.js';
import { type Requirement, requirementKeys } from '../document/requirement.js';
import { createOperationGate } from './requirement-gate.js';

/** The gate of a requirement, and its metadata. Both are absent for an open operation, which needs no gate. */
export interface RequestDecision {
  readonly requirement: Requirement;
  readonly handle?: Middleware;
  readonly metadata?: GateMetadata;
}

export interface Decisions {
  readonly all: () => readonly RequestDecision[];
  /** Returns the decision of a requirement: the same object for equal requirements. */
  readonly of: (requirement: Requirement) => RequestDecision;
}

export function createDecisions(): Decisions {
  const keyOf = requirementKeys();
  const decisions = new Map<string, RequestDecision>();
  return {
    all: () => [...decisions.values()],
    of(requirement) {
      const allowSchemeless = requirement.alternatives.some((alternative) => alternative.allowSchemeless);
      const key = `${keyOf(requirement)} ${allowSchemeless}`;
      const decision =
        decisions.get(key) ??
        (requirement.alternatives.length === 0 ? { requirement } : createOperationGate(requirement));
      decisions.set(key, decision);
      return decision;
    },
  };
}
