/** The verdict of a gate on a request: either the request passes, or the verdict contains the answer of the refusal. */
import type { ServerResponse } from 'node:http';
import type { AcceptedWithEntry, Refused } from '../../contracts/credential-verifier.js';
import type { Principal } from '../../credentials/principal.js';
import type { PresentedCredential } from '../../http/presented-credential.js';
import type { FinalOutcome } from './ask-verifiers.js';
import type { RefusalAnswer } from './refuse.js';

/** The verdict of a gate on a request. */
export type Verdict = AcceptedWithEntry | AnonymousRequest | RefusedRequest;

/** The request has no credential, and passes because the gate is optional. */
interface AnonymousRequest {
  readonly outcome: 'anonymous';
}

interface RefusedRequest {
  readonly outcome: 'refused';
  readonly answer: RefusalAnswer;
  readonly reason: string;
  readonly principal?: Principal;
  readonly keyId?: string | undefined;
  readonly fingerprint?: string | undefined;
}

export const ANONYMOUS: Verdict = { outcome: 'anonymous' };
export const SCHEME_MISSING: Verdict = {
  outcome: 'refused',
  answer: {
    code: 'credential_missing',
    description: 'A credential is required; send the key with the Bearer scheme in the Authorization header',
  },
  reason: 'scheme_missing',
};
export const MISSING: Verdict = {
  outcome: 'refused',
  answer: { code: 'credential_missing' },
  reason: 'nothing_presented',
};
export const BAD_REQUEST: Verdict = { outcome: 'refused', answer: { code: 'invalid_request' }, reason: 'malformed' };
export const BAD_DPOP_REQUEST: Verdict = {
  outcome: 'refused',
  answer: { code: 'invalid_request', scheme: 'DPoP' },
  reason: 'malformed',
};
/** Matches a nonce (RFC 9449 §8.1). */
const NONCE = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

export const WRONG_SCHEME: Refused = Object.freeze({ outcome: 'refused', reason: 'cnf_scheme' });

/**
 * Adds a new DPoP nonce to a response. The response must not be cached: a client would later get the nonce from the
 * cache, when the nonce has expired (RFC 9449 §8.2).
 */
export function offerNonce(res: ServerResponse, nonce: string): void {
  if (res.headersSent || !NONCE.test(nonce)) return;
  res.setHeader('DPoP-Nonce', nonce);
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
}

export function refusalOf(outcome: Exclude<FinalOutcome, AcceptedWithEntry>, credential: PresentedCredential): Verdict {
  const { scheme } = credential;
  if (outcome.outcome === 'malformed') return scheme === 'DPoP' ? BAD_DPOP_REQUEST : BAD_REQUEST;
  if (outcome.outcome === 'refused') {
    const { reason, keyId, code = 'invalid_token' } = outcome;
    const fingerprint = keyId === undefined ? credential.digest.slice(0, 8) : undefined;
    const dpopNonce = NONCE.test(outcome.dpopNonce ?? '') ? outcome.dpopNonce : undefined;
    return { outcome: 'refused', answer: { code, scheme, dpopNonce }, reason, keyId, fingerprint };
  }
  const { reason, retryAfter } = outcome;
  // A custom verifier may return any value, but `Retry-After` must be whole seconds (RFC 9110 section 10.2.3): a number
  // is rounded up, and anything else is replaced by the default.
  const seconds = typeof retryAfter === 'number' ? Math.ceil(retryAfter) : Number.NaN;
  const isWhole = Number.isSafeInteger(seconds);
  return {
    outcome: 'refused',
    answer: { code: 'temporarily_unavailable', retryAfter: isWhole ? Math.max(1, seconds) : undefined },
    reason,
  };
}
