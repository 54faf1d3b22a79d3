import { types } from 'node:util';
import { kindOf } from '../../options/options.js';
import type { GuardMetadata } from '../route-metadata.js';
import { createGuard, type Guard, guardMetadataOf, type Refusal } from './guard.js';

/**
 * Lets a request pass if at least one of the guards lets it pass. If no guard does, the client gets one of their
 * refusals: the first that names scopes, or otherwise the first.
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
  // `requireRateLimit` is also a guard, but it has no `check` that `requireAny` could call. So it is refused.
  if (facts !== undefined && typeof (guard as Partial<Guard>).check === 'function') return facts;
  const expected = 'a guard, such as the result of requireScopes() or defineGuard()';
  throw new TypeError(`requireAny: argument ${index + 1} must be ${expected}, got ${describe(guard)}`);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array; do not wrap the guards in an array';
  if (typeof value !== 'function') return kindOf(value);
  return 'a function that requireAny() cannot use; mount requireRateLimit() and any other middleware before or after requireAny(), not inside it';
}

/** Returns the kinds of credentials that can pass; `undefined` if one of the guards does not decide by kind. */
function kindsOf(facts: readonly GuardMetadata[]) {
  const kinds = facts.flatMap((known) => known.kinds ?? []);
  return facts.every((known) => known.kinds !== undefined) ? [...new Set(kinds)] : undefined;
}
