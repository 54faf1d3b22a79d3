/** Describes a security requirement in words, for an error message about an app and its document. */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { neededAlternatives, type Requirement } from '../document/requirement.js';
import type { SchemeProof } from '../document/scheme-verifiers.js';

/** Returns the names that a verifier has in the option `schemes`; an empty list if it is not in the option. */
export type SchemeNames = (verifier: CredentialVerifier) => readonly string[];

export function schemeNames(proofs: ReadonlyMap<string, SchemeProof>): SchemeNames {
  return (verifier) => [...proofs].filter(([, proof]) => proof === verifier).map(([name]) => name);
}

/** Returns a text such as `accessToken with the scope pets:read, or secretKey`. */
export function requirementText(requirement: Requirement | undefined, namesOf: SchemeNames): string {
  if (requirement === undefined)
    return 'credentials in a combination that OpenAPI cannot express; check the gates (such as requireBearer) and guards of the route; if a guard such as requireKeyKind lets only some kinds of a verifier pass, use one verifier (such as apiKeys) for each kind';
  if (requirement.isClosed)
    return 'a credential that cannot exist, because the gates (such as requireBearer) and guards of the route contradict each other';
  if (requirement.alternatives.length === 0) return 'no credential';
  const texts = neededAlternatives(requirement).map(({ verifier, scopes, mutualTls }) => {
    const name = namesOf(verifier).join(' or ') || 'a credential (its verifier is missing from "schemes")';
    const conditions = [
      ...(mutualTls ? ['mutualTLS'] : []),
      ...(scopes.length > 0 ? [`the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(' ')}`] : []),
    ];
    return conditions.length === 0 ? name : `${name} with ${conditions.join(' and ')}`;
  });
  return [...texts, ...(requirement.isOptional ? ['no credential'] : [])].join(', or ');
}
