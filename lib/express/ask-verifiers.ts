/** Asks verifiers in order, and takes none at its word where its answer could let somebody in by mistake. */
import { KINDS } from '../credentials/kind.js';
import { type Principal, sealPrincipal } from '../credentials/principal.js';
import { lookUpFailures } from '../events/look-up-failure.js';
import { errorSummary } from '../verify/error-summary.js';
import { isOwnVerifier } from '../verify/own-verifiers.js';
import type { PresentedCredential } from '../verify/presented-credential.js';
import type { Accepted, CredentialVerifier, Declined, Outcome, Refused, Unavailable } from '../verify/verifier.js';

/** What is left when nobody declines any more. */
export type Claimed = Accepted | Refused | Unavailable;

/**
 * Asks each verifier until one claims the credential; that nobody claims is refused. It neither throws nor rejects:
 * a verifier that does, or whose answer is none, makes the credential unavailable.
 */
export function askVerifiers(
  accept: readonly CredentialVerifier[],
  credential: PresentedCredential,
  declined: string | undefined = undefined,
): Claimed | Promise<Claimed> {
  const [verifier, ...others] = accept;
  if (verifier === undefined) return { outcome: 'refused', reason: declined ?? 'unclaimed' };
  const passOn = (outcome: Claimed | Declined) =>
    outcome.outcome === 'declined' ? askVerifiers(others, credential, outcome.reason ?? declined) : outcome;
  try {
    const outcome = verifier.verify(credential);
    if (!isThenable(outcome)) return passOn(checked(verifier, outcome));
    return answerOf(verifier, outcome, credential, passOn);
  } catch (error) {
    return broken(credential, error);
  }
}

async function answerOf(
  verifier: CredentialVerifier,
  pending: PromiseLike<Outcome>,
  credential: PresentedCredential,
  passOn: (outcome: Outcome) => Claimed | Promise<Claimed>,
): Promise<Claimed> {
  try {
    return passOn(checked(verifier, await pending));
  } catch (error) {
    return broken(credential, error);
  }
}

/** A verifier that remembers, and whether it is one of ours: worked out once, not on every request. */
export interface Recaller {
  readonly verifier: CredentialVerifier;
  readonly isOwn: boolean;
}

export function recallerOf(verifier: CredentialVerifier): Recaller {
  return Object.freeze({ verifier, isOwn: isOwnVerifier(verifier) });
}

/**
 * Asks each verifier what it remembers. It does not throw: where one does, or remembers what is no principal, nothing
 * counts as remembered, and the verifiers are to be asked in order.
 */
export function recallPrincipal(
  recallers: readonly Recaller[],
  credential: PresentedCredential,
): Principal | undefined {
  try {
    for (const { verifier, isOwn } of recallers) {
      const principal = verifier.recall?.(credential) ?? undefined;
      if (principal !== undefined) return isOwn ? principal : sound(verifier, principal);
    }
  } catch (error) {
    broken(credential, error);
  }
  return undefined;
}

function isThenable(outcome: Outcome | PromiseLike<Outcome> | undefined): outcome is PromiseLike<Outcome> {
  return typeof (outcome as PromiseLike<Outcome> | null | undefined)?.then === 'function';
}

function checked(verifier: CredentialVerifier, outcome: Outcome): Outcome {
  switch (outcome.outcome) {
    case 'accepted':
      sound(verifier, outcome.principal);
      return outcome;
    case 'declined':
    case 'refused':
    case 'unavailable':
      return outcome;
    default:
      throw new TypeError('an outcome that is none');
  }
}

/**
 * A verifier may be anybody's code: what it lets in is a principal, of a kind that it said it brings, and what that
 * reaches are lists. A text would be searched for a part of it, so that `payments` were held by `payments:refund`.
 */
function sound(verifier: CredentialVerifier, principal: Principal): Principal {
  if (isOwnVerifier(verifier)) return principal;
  if (!(verifier.kinds ?? KINDS).includes(principal.kind)) throw new TypeError('a principal of another kind');
  if (!isReach(principal.apis) || !isReach(principal.scopes) || !isReach(principal.channels)) {
    throw new TypeError("a principal whose apis, scopes or channels are neither 'all' nor a list");
  }
  // A frozen principal may still hold lists that a handler could add to (X24).
  return sealPrincipal(principal);
}

function isReach(value: unknown): boolean {
  return value === 'all' || Array.isArray(value);
}

function broken(credential: PresentedCredential, error: unknown): Unavailable {
  if (lookUpFailures.hasSubscribers) {
    lookUpFailures.publish({ of: 'verifier', reason: 'threw', detail: credential.redact(errorSummary(error)) });
  }
  return { outcome: 'unavailable', reason: 'verifier_threw' };
}
