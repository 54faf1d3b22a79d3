/**
 * Asks the verifiers of a gate, such as `requireBearer`, about a credential, one after the other. Validates the
 * principals of custom verifiers.
 */
import {
  type Accepted,
  type AcceptedWithEntry,
  BUILT_IN,
  type BuiltIn,
  type CredentialVerifier,
  ENTRY,
  type Outcome,
  type OutcomeWithEntry,
  type Refused,
  type Unavailable,
} from '../../contracts/credential-verifier.js';
import { isAddressRange } from '../../credentials/address-list.js';
import { KINDS } from '../../credentials/credential-kind.js';
import {
  CONFIRMATION_METHODS,
  freezePrincipal,
  type KeyPrincipal,
  type Principal,
} from '../../credentials/principal.js';
import { isRateLimits, RATE_LIMITS_EXPECTED } from '../../credentials/rate-limit.js';
import { describeError, placesOf } from '../../errors/describe-error.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { lookupFailures } from '../../events/lookup-failure.js';
import type { PresentedCredential } from '../../http/presented-credential.js';

/**
 * Thrown if a verifier returns an invalid outcome. Its message never contains a part of the outcome, so it is safe to
 * publish in an event.
 */
class OutcomeError extends KeywardError {
  override readonly name = 'OutcomeError';

  constructor(message: string) {
    super('verdict_invalid', `the verifier returned ${message}`);
  }
}

/**
 * The outcome after all verifiers were asked. `malformed`: the credential is not a b64token (RFC 6750 section 2.1), and
 * no built-in verifier has accepted or refused it. A custom verifier never gets a malformed credential.
 */
export type FinalOutcome = AcceptedWithEntry | Refused | Unavailable | typeof MALFORMED_OUTCOME;

/** The reasons with which a verifier declines an API key of another kind or environment. */
const KEY_REASONS: readonly unknown[] = ['kind_not_accepted', 'other_environment'];

const MALFORMED_OUTCOME = Object.freeze({ outcome: 'malformed' as const });

/**
 * Asks each verifier until one does not decline the credential. If all verifiers decline, the credential is refused. An
 * API key that a verifier declined is not given to a verifier with `claimsRest`.
 *
 * This function never throws and its promise never rejects. If a verifier throws, rejects or returns an invalid
 * outcome, the request gets 503.
 *
 * @param first - The index of the verifier to ask first.
 * @param declinedReason - The reason of a verifier that has already declined, for the event.
 * @param isDeclinedKey - Whether a verifier has already declined the credential as a key.
 */
export function askVerifiers(
  accept: readonly CredentialVerifier[],
  credential: PresentedCredential,
  first = 0,
  declinedReason: string | undefined = undefined,
  isDeclinedKey = false,
): FinalOutcome | Promise<FinalOutcome> {
  let reason = declinedReason;
  let isKey = isDeclinedKey;
  try {
    for (let index = first; index < accept.length; index += 1) {
      const verifier = accept[index] as CredentialVerifier & BuiltIn;
      // An API key is never the credential of such a verifier, which would send it to an authorization server.
      if (isKey && verifier.claimsRest === true) continue;
      // A built-in verifier declines a malformed credential itself, and its principals are valid and frozen. So the
      // check of `isWellFormed` here and the function `checked` below are only for custom verifiers (see `builtIn` in
      // contracts/credential-verifier.ts).
      const mark = verifier[BUILT_IN];
      const isBuiltIn = mark?.verifier === verifier;
      if (!isBuiltIn && !credential.isWellFormed) return MALFORMED_OUTCOME;
      const result = isBuiltIn ? mark.verify(credential) : verifier.verify(credential);
      if (result instanceof Promise || (!isBuiltIn && isThenable(result))) {
        return awaitOutcome(accept, credential, index, result, reason, isKey);
      }
      const outcome = isBuiltIn ? (result as OutcomeWithEntry) : checked(verifier, result);
      if (outcome.outcome !== 'declined') return outcome;
      isKey ||= KEY_REASONS.includes(outcome.reason);
      reason = moreSpecific(outcome.reason, reason);
    }
  } catch (error) {
    return unavailableAfterThrow(error);
  }
  return credential.isWellFormed ? { outcome: 'refused', reason: reason ?? 'unclaimed' } : MALFORMED_OUTCOME;
}

async function awaitOutcome(
  accept: readonly CredentialVerifier[],
  credential: PresentedCredential,
  index: number,
  pending: PromiseLike<Outcome>,
  reason: string | undefined,
  isDeclinedKey: boolean,
): Promise<FinalOutcome> {
  try {
    const verifier = accept[index] as CredentialVerifier & BuiltIn;
    const result = await pending;
    const isBuiltIn = verifier[BUILT_IN]?.verifier === verifier;
    const outcome = isBuiltIn ? (result as OutcomeWithEntry) : checked(verifier, result);
    if (outcome.outcome !== 'declined') return outcome;
    const isKey = isDeclinedKey || KEY_REASONS.includes(outcome.reason);
    return askVerifiers(accept, credential, index + 1, moreSpecific(outcome.reason, reason), isKey);
  } catch (error) {
    return unavailableAfterThrow(error);
  }
}

/** A verifier for other kinds of keys knows less about why a key is refused than the verifier for keys of its kind. */
function moreSpecific(later: string | undefined, earlier: string | undefined): string | undefined {
  return later === undefined || (later === 'kind_not_accepted' && earlier !== undefined) ? earlier : later;
}

function isThenable(outcome: Outcome | PromiseLike<Outcome> | undefined): outcome is PromiseLike<Outcome> {
  return typeof (outcome as PromiseLike<Outcome> | null | undefined)?.then === 'function';
}

/**
 * Copies the outcome of a custom verifier, and reads each property only once: a getter of the outcome could return
 * another value the second time, or throw. The caller catches the error.
 */
function checked(verifier: CredentialVerifier, given: Outcome): OutcomeWithEntry {
  const { outcome, principal, reason, keyId, code, retryAfter, dpopNonce } = given as AnyOutcome;
  switch (outcome) {
    case 'accepted':
      return {
        outcome,
        principal: validatePrincipal(verifier, principal),
        dpopNonce: stringOf(dpopNonce),
        [ENTRY]: undefined,
      };
    case 'refused':
      if (!REFUSAL_CODES.includes(code)) {
        throw new OutcomeError(
          'a refusal with an unknown code; expected "invalid_token", "invalid_dpop_proof", "use_dpop_nonce" or no code',
        );
      }
      return { outcome, reason, keyId: stringOf(keyId), code, dpopNonce: stringOf(dpopNonce) };
    case 'declined':
    case 'unavailable':
      return { outcome, reason, retryAfter };
    default:
      throw new OutcomeError(
        'a value with an invalid "outcome" property; expected "accepted", "declined", "refused" or "unavailable"',
      );
  }
}

/** All properties of all outcomes. */
type AnyOutcome = Pick<Outcome, 'outcome'> &
  Omit<Accepted, 'outcome'> &
  Omit<Refused, 'outcome'> &
  Omit<Unavailable, 'outcome'>;

/** Returns a string; `undefined` for another value, which a custom verifier may return. */
function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Validates the principal of a custom verifier, because a wrong type could give it more access. If `scopes` were a
 * string, `'payments:refund'.includes('payments')` would grant the scope `payments`.
 */
function validatePrincipal(verifier: CredentialVerifier, principal: Principal): Principal {
  if (!(verifier.kinds ?? KINDS).includes(principal.kind))
    throw new OutcomeError(
      'a principal with an unknown kind, or with a kind that is not in the "kinds" of the verifier',
    );
  // Without it, the requests of all callers would be counted as those of one.
  if (typeof principal.keyId !== 'string' || principal.keyId === '')
    throw new OutcomeError('a principal whose "keyId" is not a non-empty string');
  for (const name of ['apis', 'scopes', 'channels'] as const) {
    if (!isNameSet(principal[name])) throw new OutcomeError(`a principal whose "${name}" is neither "all" nor a list`);
  }
  if (principal.listedScopes !== undefined && !Array.isArray(principal.listedScopes)) {
    throw new OutcomeError('a principal whose "listedScopes" is not a list');
  }
  if (!isAddressList(principal.allowedAddresses)) {
    throw new OutcomeError(
      'a principal whose "allowedAddresses" is not a list of IP addresses or networks in CIDR notation',
    );
  }
  if (principal.limits !== undefined && !isRateLimits(principal.limits)) {
    throw new OutcomeError(`a principal with invalid "limits"; expected ${RATE_LIMITS_EXPECTED}`);
  }
  if (!CONFIRMATIONS.includes(principal.confirmation))
    throw new OutcomeError('a principal with an unknown confirmation method; expected "dpop", "mtls" or undefined');
  // The JSON copy of a principal has an `apiMap` without functions, so its scopes could not be mapped to APIs.
  const { apiMap } = principal as Partial<KeyPrincipal>;
  if (apiMap !== undefined && typeof apiMap?.apisOf !== 'function') {
    throw new OutcomeError(
      'a principal whose "apiMap" has no method apisOf(); set "apiMap" to a result of the function apiMap()',
    );
  }
  // The lists inside the principal are frozen too: otherwise a handler could add a scope to it.
  return freezePrincipal(principal);
}

/** The allowed values of `confirmation`: a method of proof of possession, or `undefined` for an unbound credential. */
const CONFIRMATIONS: readonly unknown[] = [undefined, ...CONFIRMATION_METHODS];
const REFUSAL_CODES: readonly unknown[] = [undefined, 'invalid_token', 'invalid_dpop_proof', 'use_dpop_nonce'];

function isNameSet(value: unknown): boolean {
  return value === 'all' || Array.isArray(value);
}

function isAddressList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isAddressRange));
}

function unavailableAfterThrow(error: unknown): Unavailable {
  if (lookupFailures.hasSubscribers) {
    const detail = error instanceof OutcomeError ? error.message : describeError(error);
    lookupFailures.publish({ of: 'verifier', reason: 'threw', detail, where: placesOf(error) });
  }
  return { outcome: 'unavailable', reason: 'verifier_threw' };
}
