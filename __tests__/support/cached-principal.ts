import type { CredentialVerifier, Principal } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';

/** The principal that a verifier answers without waiting for a lookup, as it does for a key that is cached. */
export function cachedPrincipal(
  verifier: CredentialVerifier,
  text: string,
  ip: string | undefined = undefined,
): Principal | undefined {
  const outcome = verifier.verify(new PresentedCredential(text, { ip }));
  if (!(outcome instanceof Promise)) return outcome.outcome === 'accepted' ? outcome.principal : undefined;
  outcome.catch(() => {});
  return undefined;
}
