/** Refuses a request: sets the headers of the response, and passes a `BearerError` to `next`. */
import type { ServerResponse } from 'node:http';
import type { BearerErrorCode } from '../../protocol/bearer-error-codes.js';
import { bearerChallenge, type ChallengeRequest, scopesOf401 } from '../../protocol/challenge.js';
import { BearerError } from '../bearer-error.js';
import type { GateMetadata } from '../route-metadata.js';

/** What the response to a refused request contains. */
export interface RefusalAnswer extends ChallengeRequest {
  readonly code: BearerErrorCode;
  /** The scopes that the route requires, if the credential lacks one of them, or for a 401 of `openApiGate`. */
  readonly scopes?: readonly string[] | undefined;
  /** The seconds in `Retry-After`, for `temporarily_unavailable` and `too_many_requests`. Default: 1. */
  readonly retryAfter?: number | undefined;
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The nonce that the client must use in its next DPoP proof. It is sent as `DPoP-Nonce`. */
  readonly dpopNonce?: string | undefined;
  /**
   * The message of the error, which `bearerErrors` writes into the body. Default: the fixed description of the error
   * code. The challenge always has the fixed description.
   */
  readonly description?: string | undefined;
}

/**
 * Refuses a request. The headers are set before any error handler runs, because a custom error handler may forget the
 * challenge. `Cache-Control: no-store` keeps the refusal out of caches.
 *
 * If a scope is missing, the challenge names the required scopes together with those of the gate. The client can then
 * request all of them at once.
 */
export function refuse(
  res: ServerResponse,
  next: (error: unknown) => void,
  gate: Pick<GateMetadata, 'challenge' | 'plainChallenges' | 'scopes'>,
  {
    code,
    scopes,
    scheme,
    schemes,
    authenticationContext,
    dpopNonce,
    retryAfter = 1,
    headers: more,
    description,
  }: RefusalAnswer,
): void {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    Vary: withAuthorization(res.getHeader('Vary')),
    ...more,
  };
  const needed = scopes && Object.freeze([...new Set([...gate.scopes, ...scopes])]);
  if (!isChallenged(code)) headers['Retry-After'] = String(retryAfter);
  else if (needed === undefined && scheme !== 'DPoP' && schemes === undefined && authenticationContext === undefined) {
    headers['WWW-Authenticate'] = gate.plainChallenges[code];
  } else {
    // A 401 names the scopes of the gate even if no scope is missing. The client may request its next token with only
    // the scopes of this challenge (RFC 9470 §4), and the gate would refuse a token without its scopes.
    const named = needed ?? scopesOf401(gate.scopes, code);
    const request = { scheme, schemes, authenticationContext };
    headers['WWW-Authenticate'] = bearerChallenge(gate.challenge, code, named, request);
  }
  if (dpopNonce !== undefined) headers['DPoP-Nonce'] = dpopNonce;
  if (!res.headersSent) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  next(new BearerError(code, Object.freeze(headers), needed, description));
}

/**
 * Whether the response has a `WWW-Authenticate` challenge. A 503 or a 429 has none, because the client only has to
 * wait, and another credential would not help.
 */
function isChallenged(code: BearerErrorCode): boolean {
  return code !== 'temporarily_unavailable' && code !== 'too_many_requests';
}

function withAuthorization(vary: number | string | readonly string[] | undefined): string {
  const fields = vary === undefined ? [] : String(vary).split(/\s*,\s*/);
  const known = fields.some((field) => field === '*' || field.toLowerCase() === 'authorization');
  return [...fields, ...(known ? [] : ['Authorization'])].join(', ');
}
