/** The gate: it proves who calls, from what stands in the Authorization field. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../credentials/principal.js';
import { Options } from '../options/options.js';
import { ABSENT, isB64token, MALFORMED, readBearer, repeatsAuthorization } from '../protocol/bearer.js';
import { isQuotable, plainChallenges } from '../protocol/challenge.js';
import { headerReader } from '../verify/header-reader.js';
import { PresentedCredential } from '../verify/presented-credential.js';
import { secureUrl } from '../verify/secure-url.js';
import type { Accepted, CredentialVerifier } from '../verify/verifier.js';
import { kindsOf, readAccept, recallersOf } from './accepted-verifiers.js';
import { askVerifiers, type Claimed, recallPrincipal } from './ask-verifiers.js';
import { admit, expel } from './auth-of.js';
import { asGate, type Gate, type GateFacts } from './gate.js';
import { fail } from './middleware.js';
import { presentedTwice } from './presented-twice.js';
import { type Answer, refuse } from './refuse.js';
import { reportDecision } from './report-decision.js';

/** Options of `requireBearer`. */
export interface RequireBearerOptions {
  /** Asked in order; the first that claims the credential decides. */
  readonly accept: readonly CredentialVerifier[];
  /** Named in the challenge: `'api'`. */
  readonly realm?: string | undefined;
  /** `true`: a request without a credential passes, without a principal; a bad one is still refused. */
  readonly optional?: boolean | undefined;
  /** `true`: `Authorization: pk_…` without a scheme is a key, as checkout-sdk-node sends public keys. */
  readonly bareKeys?: boolean | undefined;
  /** `'report'`: a secret key that comes with a browser's `Origin` is an event; `'refuse'`: 403 too. */
  readonly browserOrigin?: 'report' | 'refuse' | undefined;
  /** URL of the metadata of this resource (RFC 9728), put into challenges. */
  readonly resourceMetadata?: string | undefined;
}

/** What a gate found about a request. */
type Verdict = Admitted | TurnedAway;

interface Admitted {
  readonly answer: undefined;
  readonly principal: Principal | undefined;
  /** Something about it that the operator should know. */
  readonly notice: string | undefined;
}

interface TurnedAway {
  readonly answer: Answer;
  readonly reason: string;
  readonly principal?: Principal;
  readonly keyId?: string | undefined;
  readonly fingerprint?: string | undefined;
}

const OPTION_NAMES = ['accept', 'realm', 'optional', 'bareKeys', 'browserOrigin', 'resourceMetadata'];
const BY = 'requireBearer';

const ANONYMOUS: Verdict = { answer: undefined, principal: undefined, notice: undefined };
const MISSING: Verdict = { answer: { code: 'credential_missing' }, reason: 'nothing_presented' };
const BAD_REQUEST: Verdict = { answer: { code: 'invalid_request' }, reason: 'malformed' };

/**
 * Makes the middleware that takes credentials (RFC 6750 §2.1, spec section 5).
 *
 * It lets a request pass, with its principal as `req.auth`, or passes a `BearerError` to `next`: `credential_missing`
 * (401), `invalid_request` (400), `invalid_token` (401), `insufficient_scope` (403, by `browserOrigin` alone) or
 * `temporarily_unavailable` (503).
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type, and for two verifiers that claim the
 *   same credentials.
 */
export function requireBearer(options: RequireBearerOptions): Gate {
  const { accept, recallers, facts, refusesBrowsers } = readOptions(options);
  const missing = facts.optional ? ANONYMOUS : MISSING;
  const readHeader = headerReader();

  function bearerGate(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const verdict = decide(req);
    if (verdict instanceof Promise) {
      verdict.then(
        (settled) => conclude(req, res, next, settled),
        (error) => fail(next, error),
      );
    } else {
      conclude(req, res, next, verdict);
    }
  }

  function decide(req: IncomingMessage): Verdict | Promise<Verdict> {
    // Read once: it is an accessor, and slow on a request whose prototype Express has set.
    const { headers } = req;
    const { authorization } = headers;
    const presented = repeatsAuthorization(req.rawHeaders) ? MALFORMED : readBearer(authorization, facts.bareKeys);
    if (presented === ABSENT) return missing;
    if (presented === MALFORMED || presentedTwice(req, headers)) return BAD_REQUEST;

    const credential = new PresentedCredential(presented, req, readHeader);
    const principal = recallPrincipal(recallers, credential);
    if (principal !== undefined) return admitted(principal, headers);
    // What a verifier remembers has passed the grammar before: the same bytes. A JWS keeps a stricter one.
    if (credential.jws === undefined && !isB64token(presented)) return BAD_REQUEST;
    const verdictOf = (claimed: Claimed) =>
      claimed.outcome === 'accepted' ? admitted(claimed.principal, headers) : turnedAway(claimed, credential);
    const claimed = askVerifiers(accept, credential);
    return claimed instanceof Promise ? claimed.then(verdictOf) : verdictOf(claimed);
  }

  /** A secret key that a page sends is a key that its visitors can read (spec section 5.1, rule 2). */
  function admitted(principal: Principal, { origin }: IncomingHttpHeaders): Verdict {
    if (principal.kind !== 'secret' || origin === undefined) return { answer: undefined, principal, notice: undefined };
    const reason = 'secret_key_from_browser';
    if (refusesBrowsers) return { answer: { code: 'insufficient_scope' }, reason, principal };
    return { answer: undefined, principal, notice: reason };
  }

  function conclude(
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    verdict: Verdict,
  ): void {
    if (verdict.answer !== undefined) {
      const { answer, reason, principal, keyId = principal?.keyId, fingerprint } = verdict;
      const outcome = answer.code === 'temporarily_unavailable' ? 'unavailable' : 'refused';
      reportDecision(req, { outcome, by: BY, code: answer.code, reason, keyId, fingerprint }, principal);
      expel(req);
      refuse(res, next, facts, answer);
      return;
    }
    const { principal, notice } = verdict;
    if (notice !== undefined) reportDecision(req, { outcome: 'noticed', by: BY, reason: notice }, principal);
    try {
      admit(req, facts, principal);
    } catch (error) {
      fail(next, error);
      return;
    }
    if (principal !== undefined) report(req, principal);
    next();
  }

  function report(req: IncomingMessage, principal: Principal): void {
    const isRetiring = principal.kind !== 'access' && principal.keyRetiresAt !== undefined;
    if (isRetiring) reportDecision(req, { outcome: 'noticed', by: BY, reason: 'key_retiring' }, principal);
    reportDecision(req, { outcome: 'accepted', by: BY }, principal);
  }

  return asGate(bearerGate, facts);
}

function turnedAway(claimed: Exclude<Claimed, Accepted>, credential: PresentedCredential): TurnedAway {
  if (claimed.outcome === 'refused') {
    const { reason, keyId } = claimed;
    const fingerprint = keyId === undefined ? credential.digest.slice(0, 8) : undefined;
    return { answer: { code: 'invalid_token' }, reason, keyId, fingerprint };
  }
  const { reason, retryAfter } = claimed;
  const seconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  return { answer: { code: 'temporarily_unavailable', retryAfter: seconds }, reason };
}

function readOptions(given: RequireBearerOptions) {
  if (typeof (given as Partial<CredentialVerifier> | undefined)?.verify === 'function') {
    throw new TypeError(
      'requireBearer: expected options, got a verifier: it goes into "accept", { accept: [verifier] }',
    );
  }
  const options = new Options('requireBearer', given, OPTION_NAMES);
  const accept = readAccept(options);
  const realm = options.has('realm') ? options.text('realm') : 'api';
  if (!isQuotable(realm)) throw options.mistake('realm', 'printable ASCII');
  const browserOrigin = options.has('browserOrigin') ? options.oneOf('browserOrigin', ['report', 'refuse']) : 'report';
  const challenge = Object.freeze({ realm, resourceMetadata: readResourceMetadata(options) });
  const facts: GateFacts = Object.freeze({
    challenge,
    plainChallenges: plainChallenges(challenge),
    kinds: kindsOf(accept),
    optional: options.flag('optional', false),
    bareKeys: options.flag('bareKeys', false),
  });
  return { accept, recallers: recallersOf(accept), facts, refusesBrowsers: browserOrigin === 'refuse' };
}

function readResourceMetadata(options: Options): string | undefined {
  if (!options.has('resourceMetadata')) return undefined;
  const url = options.text('resourceMetadata');
  if (secureUrl(url) === undefined || !isQuotable(url)) throw options.mistake('resourceMetadata', 'an https URL');
  return url;
}
