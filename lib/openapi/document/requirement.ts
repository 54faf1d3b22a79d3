/**
 * Security requirements: which verifiers may accept the credential of a request, and which scopes the credential needs.
 * Requirements of documents and of apps have this form, so they can be compared.
 */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { faultAt } from './json-pointer.js';
import type { WrittenAlternative, WrittenSecurity } from './read-security.js';
import type { Scheme } from './scheme-verifiers.js';

export interface Requirement {
  /**
   * A credential must satisfy one alternative. If there are none, the operation is open, unless `isClosed` is `true`.
   */
  readonly alternatives: readonly Alternative[];
  /** Whether a request without a credential passes too. */
  readonly isOptional: boolean;
  /**
   * Whether no credential passes, because the gates and guards of a route contradict each other. Never `true` for an
   * operation of a document.
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
 * Converts a security requirement of a document, which has names of schemes, to a `Requirement`, which has verifiers.
 *
 * @throws TypeError with a JSON pointer if an alternative does not name exactly one scheme with a verifier, because a
 *   request has only one `Authorization` header; if `mutualTLS` has scopes; or if the verifier does not check client
 *   certificates although `mutualTLS` is required.
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
      first === undefined
        ? `${rule}; it may also name a mutualTLS scheme`
        : `${rule}, because a request has only one Authorization header; to accept either credential, write two requirements`,
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
 * Returns a text to compare requirements: if two texts are equal, the requirements are equal. `allowSchemeless` is not
 * compared. Compare only texts from the same function, because each function gives the verifiers its own numbers.
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
 * Returns the alternatives without everything that has no effect. In an optional requirement, scopes and mutual TLS
 * have no effect, because a request may also pass without a credential. An alternative has no effect if another
 * alternative with the same verifier requires the same or less.
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
