import type { CredentialVerifier } from 'keyward';
import { BUILT_IN, type BuiltIn } from '../../lib/contracts/credential-verifier.js';
import type { PresentedCredential } from '../../lib/http/presented-credential.js';

/** Asks a verifier of keyward as a gate does: an accepted outcome has the cache entry too. */
export function askAsGate(verifier: CredentialVerifier & BuiltIn, credential: PresentedCredential) {
  return verifier[BUILT_IN]?.verify(credential);
}
