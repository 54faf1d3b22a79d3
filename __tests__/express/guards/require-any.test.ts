import { describe, expect, it } from '@jest/globals';
import {
  defineGuard,
  type Guard,
  requireAny,
  requireApi,
  requireBearer,
  requireKeyKind,
  requireRateLimit,
  requireScopes,
} from 'keyward';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { judgement } from '../../support/guarded.js';
import { bearing, pass } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier } from '../../support/stub-verifier.js';

const principal = keyPrincipal();
const judging = (verdict: unknown) => defineGuard({ name: 'rule', check: () => verdict as boolean });
const verdictOf = (...guards: Guard[]) => requireAny(...guards).check(principal, {} as never);

const OTHER =
  'got a function that requireAny() cannot use; mount requireRateLimit() and any other middleware before or after requireAny(), not inside it';

describe('requireAny', () => {
  const guardAt = (place: number) =>
    `requireAny: argument ${place} must be a guard, such as the result of requireScopes() or defineGuard()`;
  it.each([
    ['nothing', [], 'requireAny: expected one or more guards'],
    ['undefined', [undefined], `${guardAt(1)}, got undefined`],
    ['a function that is no guard', [requireApi('payments'), () => true], `${guardAt(2)}, ${OTHER}`],
    ['a gate', [requireBearer({ accept: [acceptingVerifier(principal)] })], `${guardAt(1)}, ${OTHER}`],
    [
      'a rate limit, which does not check the principal',
      [requireRateLimit({ counter: () => ({ consume: async () => ({}) as never }), onOutage: 'allow' })],
      `${guardAt(1)}, ${OTHER}`,
    ],
    ['a list of guards', [[requireApi('payments')]], `${guardAt(1)}, got an array; do not wrap the guards in an array`],
  ])('throws at start: %s', (_name, guards, message) => {
    const make = () => requireAny(...(guards as Guard[]));
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new TypeError(message));
  });

  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('one of two guards that return %s and %s is enough', async (one, other) => {
    const expected = one || other ? 'passed' : 'insufficient_scope';
    expect(await judgement(requireAny(judging(one), judging(other)), principal)).toBe(expected);
  });

  it('passes the principal and the request to each guard, until one passes', () => {
    const seen: unknown[] = [];
    const noting = (verdict: boolean) =>
      defineGuard({
        name: 'rule',
        check(...shown) {
          seen.push(shown);
          return verdict;
        },
      });
    const req = {} as never;
    expect(requireAny(noting(false), noting(true), noting(true)).check(principal, req)).toBe(true);
    expect(seen).toEqual([
      [principal, req],
      [principal, req],
    ]);
  });

  it.each<[string, unknown[], unknown]>([
    ['the first that names scopes', [{ reason: 'a' }, { scopes: ['s'] }, { scopes: ['t'] }], { scopes: ['s'] }],
    ['the first, where none names scopes', [{ reason: 'a' }, { reason: 'b' }], { reason: 'a' }],
    ['the first that says anything', [false, null, undefined, { reason: 'b' }], { reason: 'b' }],
    ['nothing, where nobody says anything', [false, undefined, null], false],
  ])('is refused with %s', (_name, verdicts, expected) => {
    expect(verdictOf(...verdicts.map(judging))).toEqual(expected);
  });

  it('names the scopes of requireScopes', async () => {
    const guard = requireAny(requireKeyKind('public'), requireScopes('payments:refund'));
    expect(await judgement(guard, tokenPrincipal())).toEqual(['insufficient_scope', 'payments:refund']);
    expect(await judgement(guard, tokenPrincipal({ scopes: ['payments:refund'] }))).toBe('passed');
  });

  it('a promise of one guard is an error', async () => {
    const guard = requireAny(judging(false), judging(Promise.resolve(true)), judging(true));
    const { error } = await pass(bearing('abc'), requireBearer({ accept: [acceptingVerifier(principal)] }), guard);
    const message = 'requireAny(rule, rule, rule) returned a promise from its check; return the result synchronously';
    expect(error).toEqual(new TypeError(`keyward: ${message}`));
  });

  it.each([
    [
      'each of them decides by kind',
      [requireKeyKind('secret'), requireKeyKind('access', 'secret')],
      ['secret', 'access'],
    ],
    ['one of them does not', [requireKeyKind('secret'), requireScopes('a')], undefined],
  ])('names kinds for the audit only if %s', (_name, guards, kinds) => {
    const name = `requireAny(${guards.map((guard) => guard.name).join(', ')})`;
    expect(guardMetadataOf(requireAny(...guards))).toMatchObject({ name, kinds });
  });
});
