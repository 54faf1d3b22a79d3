/** The verifiers of a gate: which may stand together, and what they say of themselves. */
import type { Kind } from '../credentials/kind.js';
import { kindOf, type Options } from '../options/options.js';
import type { CredentialVerifier } from '../verify/verifier.js';
import { type Recaller, recallerOf } from './ask-verifiers.js';

/** @throws TypeError for what is no list of verifiers, and for two that claim the same credentials. */
export function readAccept(options: Options): readonly CredentialVerifier[] {
  const accept = options.raw('accept');
  if (!Array.isArray(accept) || accept.length === 0) {
    throw options.mistake('accept', 'a list of one verifier or more, such as accessTokens() and apiKeys()');
  }
  const verifiers: readonly CredentialVerifier[] = Object.freeze(Array.from(accept, readVerifier));
  const claims = verifiers.flatMap((verifier) => verifier.claims ?? []);
  for (const [index, claim] of claims.entries()) {
    const earlier = claims.slice(0, index).some(({ of, what }) => of === claim.of && what === claim.what);
    if (earlier) throw new TypeError(`requireBearer: two verifiers in "accept" claim the ${claim.what}`);
  }
  return verifiers;
}

function readVerifier(verifier: unknown, index: number): CredentialVerifier {
  const { verify } = (verifier ?? {}) as Partial<CredentialVerifier>;
  if (typeof verify === 'function') return verifier as CredentialVerifier;
  const expected = 'a verifier, such as accessTokens() or apiKeys() makes';
  throw new TypeError(`requireBearer: option "accept[${index}]" must be ${expected}, got ${kindOf(verifier)}`);
}

/** The kinds that may come in; unknown as soon as one verifier does not say. */
export function kindsOf(accept: readonly CredentialVerifier[]): readonly Kind[] | undefined {
  const kinds = accept.flatMap((verifier) => verifier.kinds ?? []);
  return accept.every((verifier) => verifier.kinds !== undefined) ? Object.freeze([...new Set(kinds)]) : undefined;
}

/**
 * Those that may be asked what they remember before any is asked to verify. The order of `accept` must not depend on
 * what is remembered where, so they end at the first that could claim what an earlier one does.
 */
export function recallersOf(accept: readonly CredentialVerifier[]): readonly Recaller[] {
  const end = accept.findIndex(
    (verifier, index) => verifier.recall === undefined || !isApart(accept.slice(0, index + 1)),
  );
  return (end === -1 ? accept : accept.slice(0, end)).map(recallerOf);
}

/** Whether verifiers are known to claim different credentials: tokens by their issuer, keys of one format by kind. */
function isApart(verifiers: readonly CredentialVerifier[]): boolean {
  if (verifiers.length === 1) return true;
  const formats = verifiers
    .flatMap(({ claims = [] }) => claims.map(({ of }) => of))
    .filter((of) => typeof of === 'object');
  return verifiers.every(({ claims }) => claims !== undefined) && new Set(formats).size <= 1;
}
