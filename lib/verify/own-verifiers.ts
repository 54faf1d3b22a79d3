/** The verifiers that keyward makes itself: what they let in was read and sealed by us, and needs no look on every request. */
import type { CredentialVerifier } from './verifier.js';

const own = new WeakSet<CredentialVerifier>();

/** Finishes a verifier of ours. What is copied from it, or wrapped around it, is somebody else's. */
export function ownVerifier<V extends CredentialVerifier>(verifier: V): Readonly<V> {
  own.add(verifier);
  return Object.freeze(verifier);
}

export function isOwnVerifier(verifier: CredentialVerifier): boolean {
  return own.has(verifier);
}
