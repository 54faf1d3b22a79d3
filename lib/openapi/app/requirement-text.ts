/** Describes a requirement in words, for a list of differences. */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import type { SchemeProof } from '../document/schemes.js';
import { neededAlternatives, type Requirement } from '../document/verifier-requirement.js';

/** The names of the schemes of a verifier. */
export type SchemeNames = (verifier: CredentialVerifier) => readonly string[];

export function schemeNames(proofs: ReadonlyMap<string, SchemeProof>): SchemeNames {
  return (verifier) => [...proofs].filter(([, proof]) => proof === verifier).map(([name]) => name);
}

/** Returns a text such as `accessToken with pets:read, or secretKey`. */
export function requirementText(requirement: Requirement | undefined, namesOf: SchemeNames): string {
  if (requirement === undefined) return 'something that OpenAPI cannot express';
  if (requirement.isClosed) return 'something that no credential can satisfy';
  if (requirement.alternatives.length === 0) return 'nothing';
  const texts = neededAlternatives(requirement).map(({ verifier, scopes, mutualTls }) => {
    const name = namesOf(verifier).join(' or ') || 'a credential whose verifier is not in "schemes"';
    return [
      name,
      ...(mutualTls ? ['with mutualTLS'] : []),
      ...(scopes.length > 0 ? [`with ${scopes.join(' ')}`] : []),
    ].join(' ');
  });
  return [...texts, ...(requirement.isOptional ? ['nothing'] : [])].join(', or ');
}
