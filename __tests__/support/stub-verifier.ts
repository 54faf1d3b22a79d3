import type { CredentialVerifier, Outcome, Principal } from 'keyward';

/** A verifier that returns a given outcome, even an invalid one. */
export function answering(answer: unknown, facts: Partial<CredentialVerifier> = {}): CredentialVerifier {
  return { ...facts, verify: () => answer as Outcome };
}

/** A verifier that takes every credential for one principal's. */
export function acceptingVerifier(principal: Principal, facts: Partial<CredentialVerifier> = {}): CredentialVerifier {
  return answering({ outcome: 'accepted', principal }, facts);
}

export const DECLINING = answering({ outcome: 'declined' });
