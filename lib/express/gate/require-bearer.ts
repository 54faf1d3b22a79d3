/**
 * `requireBearer`: the gate that verifies the credential in the `Authorization` header of a request. It then checks the
 * scheme, the address of the client, the scopes, and whether a secret key comes from a browser.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type CredentialVerifier, ENTRY } from '../../contracts/credential-verifier.js';
import type { AccessKeyResolver } from '../../contracts/key-resolver.js';
import { includesAddress } from '../../credentials/address-list.js';
import { type AccessPrincipal, holdsScope, type Principal } from '../../credentials/principal.js';
import { decisions } from '../../events/decision.js';
import { PresentedCredential } from '../../http/presented-credential.js';
import {
  ABSENT,
  type CredentialScheme,
  isSchemelessKey,
  MALFORMED,
  readBearer,
  readDpop,
  repeatsAuthorization,
} from '../../protocol/authorization-header.js';
import type { AccessTokensOptions } from '../../tokens/access-tokens-options.js';
import { joseHeaderReader } from '../../tokens/jose-header-cache.js';
import { endAfterUncaughtError } from '../end-after-uncaught-error.js';
import { fail } from '../middleware.js';
import { askVerifiers, type FinalOutcome } from './ask-verifiers.js';
import { challengeScopesOf } from './challenge-scopes.js';
import { createGate, type Gate } from './gate-type.js';
import {
  ANONYMOUS,
  BAD_DPOP_REQUEST,
  BAD_REQUEST,
  MISSING,
  offerNonce,
  refusalOf,
  SCHEME_MISSING,
  type Verdict,
  WRONG_SCHEME,
} from './gate-verdict.js';
import { hasMultipleCredentials } from './multiple-credentials.js';
import { refuse } from './refuse.js';
import { reportDecision } from './report-decision.js';
import { clearPrincipal, principalAt, setPrincipal } from './request-principal.js';
import {
  type Absent,
  type GateOptions,
  type PrincipalOf,
  type RequireBearerOptions,
  readGateOptions,
} from './require-bearer-options.js';

const BY = 'requireBearer';

/**
 * Makes a gate: the middleware that verifies the API key or the access token in the `Authorization` header of a request
 * (RFC 6750 §2.1, docs/spec.md §5).
 *
 * If the credential is valid, the request passes, with its principal as `gate.principal(req)` and `req.auth`. Otherwise
 * the gate passes a `BearerError` to `next`: `credential_missing` (401), `invalid_request` (400), `invalid_token`
 * (401), `invalid_dpop_proof` and `use_dpop_nonce` (401, only with `dpop`), `insufficient_scope` (403, only with
 * `scopes` or `browserOrigin`) or `temporarily_unavailable` (503).
 *
 * If a verifier has the option `dpop`, a token that is bound to a key pair is sent with the scheme `DPoP` and a proof
 * (RFC 9449 §7.1).
 *
 * @param options - `accept`: a list of verifiers. If only access tokens are accepted, you can give the options of
 *   `accessTokens` instead, as in `{ issuer, audience }`. The other options of the gate can be added in both cases.
 * @returns A middleware for Express 4 and 5, whose `principal(req)` has the type of the accepted principals.
 * @throws TypeError for an option that is missing, unknown or of the wrong type, and for two verifiers that claim the
 *   same credentials.
 * @example
 * ```ts
 * import express from 'express';
 * import { accessTokens, apiKeys, requireBearer } from 'keyward';
 *
 * const app = express();
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'api' });
 * const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
 * const gate = requireBearer({ accept: [tokens, keys], scopes: ['payments'] });
 * app.use('/payments', gate);
 * app.use('/reports', requireBearer({ issuer: 'https://login.example', audience: 'reports' }));
 * ```
 */
export function requireBearer<V extends CredentialVerifier, O extends boolean = false>(
  options: RequireBearerOptions<V, O> & { readonly issuer?: never; readonly audience?: never },
): Gate<PrincipalOf<V> | Absent<O>>;
export function requireBearer<O extends boolean = false>(
  options: GateOptions<O> & AccessTokensOptions & { readonly accessKeys: AccessKeyResolver; readonly accept?: never },
): Gate<AccessPrincipal<string> | Absent<O>>;
export function requireBearer<O extends boolean = false>(
  options: GateOptions<O> & AccessTokensOptions & { readonly accept?: never },
): Gate<AccessPrincipal | Absent<O>>;
export function requireBearer(options: RequireBearerOptions | (GateOptions & AccessTokensOptions)): Gate {
  const { accept, gate, refusesBrowsers } = readGateOptions(options);
  // A copy that is not frozen, because V8 iterates over a frozen list several times slower.
  const requiredScopes = gate.scopes.length > 0 ? [...gate.scopes] : undefined;
  const whenAbsent = gate.optional ? ANONYMOUS : MISSING;
  const acceptsDpop = gate.challenge.schemes?.includes('DPoP') === true;
  const readJoseHeader = joseHeaderReader();

  function bearerGate(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    const verdict = decide(req);
    if (verdict instanceof Promise) respondLater(req, res, next, verdict);
    else respond(req, res, next, verdict);
  }

  // An async function, because closures would take memory for each request, even if its credential is cached.
  async function respondLater(
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    pending: Promise<Verdict>,
  ): Promise<void> {
    try {
      let verdict: Verdict;
      try {
        verdict = await pending;
      } catch (error) {
        fail(next, error);
        return;
      }
      respond(req, res, next, verdict);
    } catch (error) {
      endAfterUncaughtError(BY, res, error);
    }
  }

  function decide(req: IncomingMessage): Verdict | Promise<Verdict> {
    // Read only once, because `headers` is a slow accessor. After Express has handled a request, `Reflect.get` reads
    // its properties faster than `req.headers` does (docs/decisions/0031).
    const headers = Reflect.get(req, 'headers');
    const { authorization } = headers;
    let scheme: CredentialScheme = 'Bearer';
    let presented = repeatsAuthorization(req) ? MALFORMED : readBearer(authorization, gate.allowSchemeless);
    if (presented === ABSENT) {
      presented = readDpop(authorization);
      if (presented === ABSENT)
        return whenAbsent === MISSING && isSchemelessKey(authorization) ? SCHEME_MISSING : whenAbsent;
      scheme = 'DPoP';
    }
    const mayHaveAnother = Reflect.get(req, 'url')?.includes('?') || headers['content-type'] !== undefined;
    if (presented === MALFORMED || (mayHaveAnother && hasMultipleCredentials(req, headers))) {
      return scheme === 'DPoP' ? BAD_DPOP_REQUEST : BAD_REQUEST;
    }

    const credential = new PresentedCredential(presented, req, readJoseHeader, scheme);
    if (scheme === 'DPoP' && !acceptsDpop) return refusalOf(WRONG_SCHEME, credential);
    const outcome = askVerifiers(accept, credential);
    if (outcome instanceof Promise) return judgeLater(outcome, credential, headers, req);
    return judge(outcome, credential, headers, req);
  }

  async function judgeLater(
    pending: Promise<FinalOutcome>,
    credential: PresentedCredential,
    headers: IncomingHttpHeaders,
    req: IncomingMessage,
  ): Promise<Verdict> {
    return judge(await pending, credential, headers, req);
  }

  function judge(
    outcome: FinalOutcome,
    credential: PresentedCredential,
    { origin }: IncomingHttpHeaders,
    req: IncomingMessage,
  ): Verdict {
    if (outcome.outcome !== 'accepted') return refusalOf(outcome, credential);
    const { principal } = outcome;
    const { scheme } = credential;
    // The scheme must be DPoP if a DPoP proof was verified, and Bearer if not (RFC 9449 §7.2).
    if ((principal.confirmation === 'dpop') !== (scheme === 'DPoP')) return refusalOf(WRONG_SCHEME, credential);
    // A request from an address that is not allowed gets the same answer as an unknown key. Otherwise a thief would
    // learn that the key is valid.
    if (principal.allowedAddresses !== undefined && !includesAddress(principal.allowedAddresses, credential.from)) {
      return {
        outcome: 'refused',
        answer: { code: 'invalid_token', scheme },
        reason: 'address_not_allowed',
        principal,
      };
    }
    if (requiredScopes !== undefined && !requiredScopes.every((scope) => holdsScope(principal, scope))) {
      return {
        outcome: 'refused',
        answer: { code: 'insufficient_scope', scopes: [...requiredScopes, ...challengeScopesOf(req, gate)], scheme },
        reason: 'scope',
        principal,
      };
    }
    if (principal.kind !== 'secret' || origin === undefined) return outcome;
    // The header `Origin` means that the secret key is in a web page, where every visitor can read it (docs/spec.md
    // §5.1, rule 2).
    const reason = 'secret_key_from_browser';
    if (refusesBrowsers) return { outcome: 'refused', answer: { code: 'insufficient_scope' }, reason, principal };
    reportDecision(req, { outcome: 'warning', by: BY, reason }, principal);
    return outcome;
  }

  function respond(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void, verdict: Verdict): void {
    if (verdict.outcome === 'refused') {
      const { answer, reason, principal, keyId = principal?.keyId, fingerprint } = verdict;
      const outcome = answer.code === 'temporarily_unavailable' ? 'unavailable' : 'refused';
      reportDecision(req, { outcome, by: BY, code: answer.code, reason, keyId, fingerprint }, principal);
      clearPrincipal(req);
      refuse(res, next, gate, answer);
      return;
    }
    const accepted = verdict.outcome === 'accepted' ? verdict : undefined;
    const principal = accepted?.principal;
    if (accepted?.dpopNonce !== undefined) offerNonce(res, accepted.dpopNonce);
    try {
      setPrincipal(req, gate, principal, accepted?.[ENTRY]);
    } catch (error) {
      fail(next, error);
      return;
    }
    if (principal !== undefined && decisions.hasSubscribers) report(req, principal);
    next();
  }

  function report(req: IncomingMessage, principal: Principal): void {
    const isSuperseded = principal.kind !== 'access' && principal.keyAcceptedUntil !== undefined;
    if (isSuperseded) reportDecision(req, { outcome: 'warning', by: BY, reason: 'key_retiring' }, principal);
    reportDecision(req, { outcome: 'accepted', by: BY }, principal);
  }

  return createGate(bearerGate, gate, (req) => principalAt(req, gate));
}
