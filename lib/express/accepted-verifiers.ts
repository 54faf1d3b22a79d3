/**
 * Validates the option `accept`: a list of the verifiers that a gate, such as `requireBearer`, asks about a credential.
 * Determines which kinds of credentials, schemes and DPoP algorithms these verifiers accept together.
 */

import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { Kind } from '../credentials/credential-kind.js';
import { kindOf, type Options } from '../options/options.js';
import type { CredentialScheme } from '../protocol/authorization-header.js';

/**
 * Returns the verifiers in the option `accept`.
 *
 * @throws TypeError if `accept` is not a list of verifiers, or if two verifiers claim the same credentials. A verifier
 *   that claims every credential must be the last, because the verifiers after it would never be asked.
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

/**
 * Returns the kinds of credentials that the verifiers may accept. `undefined` if a verifier does not declare its kinds,
 * because it may accept any kind.
 */
export function kindsOf(accept: readonly CredentialVerifier[]): readonly Kind[] | undefined {
  const kinds = accept.flatMap((verifier) => verifier.kinds ?? []);
  return accept.every((verifier) => verifier.kinds !== undefined) ? Object.freeze([...new Set(kinds)]) : undefined;
}

/**
 * Returns the schemes with which a client can send a credential. `DPoP`: a verifier checks DPoP proofs. `Bearer`: a
 * verifier does not require DPoP, or it requires DPoP or a client certificate. A token that is bound to a certificate
 * uses the scheme `Bearer` (RFC 8705 §3).
 */
export function schemesOf(accept: readonly CredentialVerifier[]): readonly CredentialScheme[] {
  const takesBearer = accept.some(({ confirmation: { dpop, mtls } = {} }) => !dpop?.required || mtls?.required);
  const takesDpop = accept.some(({ confirmation }) => confirmation?.dpop !== undefined);
  return Object.freeze([...(takesBearer ? (['Bearer'] as const) : []), ...(takesDpop ? (['DPoP'] as const) : [])]);
}

/** Returns the signature algorithms that DPoP proofs may use; `undefined` if no verifier checks DPoP proofs. */
export function proofAlgorithmsOf(accept: readonly CredentialVerifier[]): readonly string[] | undefined {
  const algorithms = new Set(accept.flatMap(({ confirmation }) => confirmation?.dpop?.algorithms ?? []));
  return algorithms.size === 0 ? undefined : Object.freeze([...algorithms]);
}
