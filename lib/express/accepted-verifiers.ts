/**
 * Validates the option `accept` of a gate, and reads from its verifiers which kinds, schemes and DPoP algorithms the
 * gate accepts.
 */

import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { Kind } from '../credentials/credential-kind.js';
import { kindOf, type Options } from '../options/options.js';
import type { CredentialScheme } from '../protocol/authorization-header.js';

/**
 * Reads the option `accept`.
 *
 * @throws TypeError if it is not a list of verifiers, if two verifiers claim the same credentials, or if a verifier
 *   that claims every credential is not the last: the verifiers after it would never be asked.
 */
export function readAccept(options: Options): readonly CredentialVerifier[] {
  const accept = options.raw('accept');
  if (!Array.isArray(accept) || accept.length === 0) {
    throw options.wrongList('accept', 'a list of one or more verifiers, such as accessTokens() and apiKeys()');
  }
  const verifiers: readonly CredentialVerifier[] = Object.freeze(
    Array.from(accept, (verifier, index) => readVerifier(options, verifier, index)),
  );
  const isEarly = ({ claimsRest }: CredentialVerifier, index: number) =>
    claimsRest === true && index < verifiers.length - 1;
  const early = verifiers.findIndex(isEarly);
  if (early !== -1) {
    throw new TypeError(
      `${options.factory}: option "accept[${early}]" handles every credential, so it must be the last verifier in "accept"`,
    );
  }
  const claims = verifiers.flatMap((verifier) => verifier.claims ?? []);
  for (const [index, claim] of claims.entries()) {
    const earlier = claims.slice(0, index).some(({ of, what }) => of === claim.of && what === claim.what);
    if (earlier)
      throw new TypeError(
        `${options.factory}: two verifiers in "accept" are for the same credentials: ${claim.what}; remove one of them`,
      );
  }
  return verifiers;
}

function readVerifier(options: Options, verifier: unknown, index: number): CredentialVerifier {
  const { verify } = (verifier ?? {}) as Partial<CredentialVerifier>;
  if (typeof verify === 'function') return verifier as CredentialVerifier;
  const expected = 'a verifier, such as the result of accessTokens() or apiKeys()';
  throw new TypeError(`${options.factory}: option "accept[${index}]" must be ${expected}, got ${kindOf(verifier)}`);
}

/** Returns the kinds that the gate may accept; `undefined` if a verifier does not name its kinds. */
export function kindsOf(accept: readonly CredentialVerifier[]): readonly Kind[] | undefined {
  const kinds = accept.flatMap((verifier) => verifier.kinds ?? []);
  return accept.every((verifier) => verifier.kinds !== undefined) ? Object.freeze([...new Set(kinds)]) : undefined;
}

/**
 * Returns the schemes that the gate can accept: `Bearer`, unless every credential must be bound to a key pair; and
 * `DPoP`, if a verifier checks DPoP proofs.
 */
export function schemesOf(accept: readonly CredentialVerifier[]): readonly CredentialScheme[] {
  const takesBearer = accept.some(({ confirmation: { dpop, mtls } = {} }) => !dpop?.required || mtls?.required);
  const takesDpop = accept.some(({ confirmation }) => confirmation?.dpop !== undefined);
  return Object.freeze([...(takesBearer ? (['Bearer'] as const) : []), ...(takesDpop ? (['DPoP'] as const) : [])]);
}

/** Returns the algorithms for signing DPoP proofs; `undefined` if no verifier checks proofs. */
export function proofAlgorithmsOf(accept: readonly CredentialVerifier[]): readonly string[] | undefined {
  const algorithms = new Set(accept.flatMap(({ confirmation }) => confirmation?.dpop?.algorithms ?? []));
  return algorithms.size === 0 ? undefined : Object.freeze([...algorithms]);
}
