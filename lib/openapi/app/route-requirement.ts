/** Finds what the gates and guards of a route require, as far as an OpenAPI document can express this. */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { KINDS, type Kind } from '../../credentials/credential-kind.js';
import { isOpen, type RouteCheck } from '../../express/route-audit/checks-before-route.js';
import type { GuardMetadata } from '../../express/route-metadata.js';
import { type Alternative, provesMutualTls, type Requirement } from '../document/requirement.js';

/** One way to pass the guards of a route. If `kinds` or `verifier` is `undefined`, any kind or verifier passes. */
interface GuardPass {
  readonly kinds: readonly Kind[] | undefined;
  readonly scopes: readonly string[];
  readonly verifier: GuardMetadata['verifier'];
  readonly mutualTls: boolean;
}

/**
 * Maximum number of ways to pass the guards of a route; further ways are ignored. Each `requireAny` multiplies the
 * number, so without a maximum the memory could be exhausted. Real apps have far fewer ways.
 */
const MAX_PASSES = 256;

/**
 * Converts gates and guards to a requirement. A guard that does not check kinds or scopes, such as `requireApi`, is
 * ignored, because a document cannot express it.
 *
 * @returns `undefined` if a document cannot express the requirement: a gate does not say which verifiers it has, an
 *   optional gate requires scopes, or the guards let only some of the declared kinds of a verifier pass.
 */
export function requirementOf(checks: readonly RouteCheck[]): Requirement | undefined {
  const gates = checks.flatMap(({ gate }) => gate ?? []);
  if (gates.some(({ accept }) => accept === undefined)) return undefined;
  if (gates.length === 0) return { alternatives: [], isOptional: false };
  const open = isOpen(checks);
  // A document makes credentials optional with the empty requirement `{}`, which every request satisfies. An optional
  // gate with scopes refuses a credential without the scopes, so a document cannot express it.
  if (open && gates.some(({ scopes }) => scopes.length > 0)) return undefined;
  const guards = open ? [] : checks.flatMap(({ guard }) => guard ?? []);
  const scopes = open ? [] : gates.flatMap((gate) => gate.scopes);
  const passes = passesOf(guards, { kinds: undefined, scopes, verifier: undefined, mutualTls: false });
  const allowSchemeless = gates.every((gate) => gate.allowSchemeless);
  // A request has only one credential. So it passes all gates of the route only if every gate has the verifier of this
  // credential.
  const verifiers = (gates[0]?.accept ?? []).filter((verifier) =>
    gates.every(({ accept }) => accept?.includes(verifier)),
  );
  const found = verifiers.map((verifier) => ({ verifier, passes: passesFor(verifier, passes) }));
  if (found.some((one) => !one.passes.every((pass) => takesEveryKind(one.verifier, pass, one.passes))))
    return undefined;
  const alternatives = found.flatMap(({ verifier, passes: own }) =>
    own.map(({ scopes, mutualTls }): Alternative => ({ verifier, scopes, mutualTls, allowSchemeless })),
  );
  return { alternatives, isOptional: open, isClosed: alternatives.length === 0 };
}

/** Returns the ways to pass all guards: each way to pass one guard, combined with each way to pass the others. */
function passesOf(guards: readonly GuardMetadata[], first: GuardPass): readonly GuardPass[] {
  return guards.reduce<readonly GuardPass[]>(
    (passes, guard) => passes.flatMap((pass) => waysOf(guard).flatMap((way) => joined(pass, way))).slice(0, MAX_PASSES),
    [first],
  );
}

function waysOf({ anyOf, kinds, scopes = [], verifier, mutualTls = false }: GuardMetadata): readonly GuardPass[] {
  return anyOf?.flatMap(waysOf) ?? [{ kinds, scopes, verifier, mutualTls }];
}

function joined(one: GuardPass, other: GuardPass): readonly GuardPass[] {
  if (one.verifier !== undefined && other.verifier !== undefined && one.verifier !== other.verifier) return [];
  const kinds = one.kinds === undefined ? other.kinds : one.kinds.filter((kind) => other.kinds?.includes(kind) ?? true);
  return [
    {
      kinds,
      scopes: [...new Set([...one.scopes, ...other.scopes])],
      verifier: one.verifier ?? other.verifier,
      mutualTls: one.mutualTls || other.mutualTls,
    },
  ];
}

function passesFor(verifier: CredentialVerifier, passes: readonly GuardPass[]): readonly GuardPass[] {
  return passes
    .filter((pass) => pass.verifier === undefined || pass.verifier === verifier)
    .filter((pass) => (verifier.kinds ?? KINDS).some((kind) => takes(pass, kind)))
    .filter(({ mutualTls }) => !mutualTls || provesMutualTls(verifier));
}

/**
 * Whether every credential of a verifier that satisfies a pass, except for its kind, also satisfies one of the passes
 * with its kind. Otherwise a document, which does not know kinds, would let more kinds pass than the app. `true` for a
 * verifier that does not declare its kinds.
 */
function takesEveryKind(verifier: CredentialVerifier, pass: GuardPass, passes: readonly GuardPass[]): boolean {
  const asksNoMore = ({ scopes, mutualTls }: GuardPass) =>
    (!mutualTls || pass.mutualTls) && scopes.every((scope) => pass.scopes.includes(scope));
  return (verifier.kinds ?? []).every((kind) => passes.some((other) => takes(other, kind) && asksNoMore(other)));
}

function takes({ kinds }: GuardPass, kind: Kind): boolean {
  return kinds?.includes(kind) ?? true;
}
