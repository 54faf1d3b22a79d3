import { types } from 'node:util';
import { kindOf } from '../../options/options.js';
import type { GuardMetadata } from '../route-metadata.js';
import { createGuard, type Guard, guardMetadataOf, type Refusal } from './guard.js';

/**
 * Lets a request pass if at least one of the guards does. Otherwise the answer is the first refusal that names scopes,
 * or else the first refusal.
 *
 * @throws TypeError if no guard is given, or an argument is not a guard.
 * @example
 * ```ts
 * import { requireAny, requireKeyKind, requireScopes } from 'keyward';
 *
 * const mayRefund = requireAny(requireKeyKind('secret'), requireScopes('payments:refund'));
 * ```
 */
export function requireAny(...guards: readonly Guard[]): Guard {
  if (guards.length === 0) throw new TypeError('requireAny: expected one or more guards');
  const facts = guards.map(readFacts);
  return createGuard({
    name: `requireAny(${facts.map(({ name }) => name).join(', ')})`,
    kinds: kindsOf(facts),
    scopes: undefined,
    anyOf: facts,
    check(principal, req) {
      const refusals: Refusal[] = [];
      for (const guard of guards) {
        const verdict = guard.check(principal, req);
        if (verdict === true || types.isPromise(verdict)) return verdict;
        if (verdict) refusals.push(verdict);
      }
      return refusals.find(({ scopes }) => scopes !== undefined) ?? refusals[0] ?? false;
    },
  });
}

function readFacts(guard: unknown, index: number): GuardMetadata {
  const facts = guardMetadataOf(guard);
  // `requireRateLimit` is a guard too, but has no `check` that could be called here, so it is refused.
  if (facts !== undefined && typeof (guard as Partial<Guard>).check === 'function') return facts;
  const expected = 'a guard, such as the result of requireScopes() or defineGuard()';
  throw new TypeError(`requireAny: argument ${index + 1} must be ${expected}, got ${describe(guard)}`);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array; do not wrap the guards in an array';
  if (typeof value !== 'function') return kindOf(value);
  return 'another function; mount requireRateLimit() and other middleware beside requireAny()';
}

/** Returns the kinds that can pass; `undefined` unless all guards decide by kind. */
function kindsOf(facts: readonly GuardMetadata[]) {
  const kinds = facts.flatMap((known) => known.kinds ?? []);
  return facts.every((known) => known.kinds !== undefined) ? [...new Set(kinds)] : undefined;
}
