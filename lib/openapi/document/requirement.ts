/**
 * The requirement of an operation: which verifiers may accept the credential, and with which scopes. A document and an
 * app are compared in this form.
 */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { faultAt } from './json-pointer.js';
import type { Scheme } from './scheme-verifiers.js';
import type { WrittenAlternative, WrittenSecurity } from './security.js';

export interface Requirement {
  /**
   * A credential must satisfy one alternative. If there are none, the operation is open, unless `isClosed` is `true`.
   */
  readonly alternatives: readonly Alternative[];
  /** Whether a request without a credential passes too. */
  readonly isOptional: boolean;
  /**
   * Whether no credential passes, because the gates and guards of a route contradict each other. Not for a document.
   */
  readonly isClosed?: boolean;
}

export interface Alternative {
  readonly verifier: CredentialVerifier;
  readonly scopes: readonly string[];
  /** Whether the credential must be bound to a client certificate that the request proves (RFC 8705). */
  readonly mutualTls: boolean;
  readonly allowSchemeless: boolean;
}

/**
 * Converts a requirement of the document, which names schemes, to one that names their verifiers.
 *
 * @throws TypeError with a pointer for an alternative that does not name exactly one scheme with a verifier, because a
 *   request has only one `Authorization` field; or whose `mutualTLS` has scopes, or is not checked by that verifier.
 */
export function linkSecurity(security: WrittenSecurity, schemes: ReadonlyMap<string, Scheme>): Requirement {
  const asked = security.alternatives.filter(({ schemes: named }) => named.length > 0);
  const alternatives = asked.map((alternative) => linkAlternative(alternative, schemes));
  const isOptional = alternatives.length > 0 && asked.length < security.alternatives.length;
  return { alternatives, isOptional };
}

function linkAlternative(
  { schemes: named, pointer }: WrittenAlternative,
  schemes: ReadonlyMap<string, Scheme>,
): Alternative {
  const linked = named.map(({ name, scopes }) => ({ scheme: schemes.get(name) as Scheme, scopes }));
  const proven = linked.flatMap(({ scheme, scopes }) => (scheme.type === 'verifier' ? [{ ...scheme, scopes }] : []));
  const [first] = proven;
  if (first === undefined || proven.length > 1) {
    const rule = 'a security requirement must name exactly one scheme that has a verifier';
    throw faultAt(
      { pointer },
      `${rule}, because a request has only one Authorization header; the requirement may also name mutualTLS`,
    );
  }
  if (linked.some(({ scheme, scopes }) => scheme.type === 'mutualTLS' && scopes.length > 0)) {
    throw faultAt({ pointer }, 'a mutualTLS scheme cannot have scopes, because a client certificate has none');
  }
  const mutualTls = linked.length > 1;
  if (mutualTls && !provesMutualTls(first.verifier)) {
    throw faultAt(
      { pointer },
      'the verifier that is combined with mutualTLS does not check client certificates; set its option "mtls"',
    );
  }
  return { verifier: first.verifier, scopes: first.scopes, mutualTls, allowSchemeless: first.allowSchemeless };
}

/** Whether the verifier accepts tokens that are bound to a client certificate. */
export function provesMutualTls({ confirmation }: CredentialVerifier): boolean {
  return confirmation?.mtls !== undefined;
}

/**
 * Returns a text for a requirement. Requirements with the same text give the same decision for every request, except
 * for keys without a scheme: `allowSchemeless` is not in the text. Only texts of the same function can be compared,
 * because each function numbers the verifiers itself.
 */
export type RequirementKeys = (requirement: Requirement) => string;

export function requirementKeys(): RequirementKeys {
  const ids = new Map<CredentialVerifier, number>();
  const idOf = (verifier: CredentialVerifier) => {
    const id = ids.get(verifier) ?? ids.size;
    ids.set(verifier, id);
    return id;
  };
  return ({ isOptional, isClosed = false, alternatives }) => {
    const needed = neededAlternatives({ isOptional, alternatives });
    const texts = needed.map(({ verifier, mutualTls, scopes }) =>
      [idOf(verifier), mutualTls, ...[...scopes].sort()].join(' '),
    );
    return JSON.stringify([isOptional, isClosed, ...texts.sort()]);
  };
}

/**
 * Returns the alternatives without what has no effect: in an optional requirement, the scopes and mutual TLS, because a
 * request passes without them; and alternatives that require as much as, or more than, another one of their verifier.
 */
export function neededAlternatives({ alternatives, isOptional }: Requirement): readonly Alternative[] {
  const asked = isOptional
    ? alternatives.map((alternative) => ({ ...alternative, scopes: [], mutualTls: false }))
    : alternatives;
  const isNeedless = (alternative: Alternative, index: number) =>
    asked.some((other, place) => {
      if (place === index || !implies(other, alternative)) return false;
      return place < index || !implies(alternative, other);
    });
  return asked.filter((alternative, index) => !isNeedless(alternative, index));
}

/** Whether every credential that satisfies `strict` also satisfies `loose`. */
function implies(loose: Alternative, strict: Alternative): boolean {
  return (
    loose.verifier === strict.verifier &&
    (!loose.mutualTls || strict.mutualTls) &&
    loose.scopes.every((scope) => strict.scopes.includes(scope))
  );
}
