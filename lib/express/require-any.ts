import { types } from 'node:util';
import { kindOf } from '../options/options.js';
import { defineGuard, type Guard, type GuardFacts, guardFactsOf, type Refusal } from './guard.js';

/**
 * Lets a request pass that one of the guards lets pass. It is refused with the first refusal that names scopes, else
 * with the first.
 *
 * @throws TypeError where no guard is given, or something that is none.
 */
export function requireAny(...guards: readonly Guard[]): Guard {
  if (guards.length === 0) throw new TypeError('requireAny: expected one guard or more');
  const facts = guards.map(readFacts);
  return defineGuard({
    name: `requireAny(${facts.map(({ name }) => name).join(', ')})`,
    kinds: kindsOf(facts),
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

function readFacts(guard: unknown, index: number): GuardFacts {
  const facts = guardFactsOf(guard);
  if (facts !== undefined) return facts;
  const expected = 'a guard, such as requireScopes() or defineGuard() makes';
  throw new TypeError(`requireAny: argument ${index + 1} must be ${expected}, got ${kindOf(guard)}`);
}

/** The kinds that can pass: known where each of the guards decides by kind. */
function kindsOf(facts: readonly GuardFacts[]) {
  const kinds = facts.flatMap((known) => known.kinds ?? []);
  return facts.every((known) => known.kinds !== undefined) ? [...new Set(kinds)] : undefined;
}
