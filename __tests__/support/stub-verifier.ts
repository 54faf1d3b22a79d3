import type { CredentialVerifier, Outcome, Principal } from 'keyward';

/** A verifier that answers as it is told, whatever that is. */
export function answering(answer: unknown, facts: Partial<CredentialVerifier> = {}): CredentialVerifier {
  return { ...facts, verify: () => answer as Outcome };
}

/** A verifier that takes every credential for one principal's. */
export function admitting(principal: Principal, facts: Partial<CredentialVerifier> = {}): CredentialVerifier {
  return answering({ outcome: 'accepted', principal }, facts);
}

export const DECLINING = answering({ outcome: 'declined' });
