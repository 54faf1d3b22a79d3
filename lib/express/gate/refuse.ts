/** Refuses a request: sets the headers of the response, and passes the error to `next`. */
import type { ServerResponse } from 'node:http';
import type { BearerErrorCode } from '../../protocol/bearer-error-codes.js';
import { bearerChallenge, type ChallengeRequest, scopesOf401 } from '../../protocol/challenge.js';
import { BearerError } from '../bearer-error.js';
import type { GateMetadata } from '../route-metadata.js';

/** The parts of the response to a refused request. */
export interface RefusalAnswer extends ChallengeRequest {
  readonly code: BearerErrorCode;
  /** The scopes that the route needs, if scopes were checked. */
  readonly scopes?: readonly string[] | undefined;
  /** Seconds; for `temporarily_unavailable` and `too_many_requests`. */
  readonly retryAfter?: number | undefined;
  /** More headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The nonce that the client must use in its next proof, sent with `use_dpop_nonce`. */
  readonly dpopNonce?: string | undefined;
  /**
   * The message of the error, which is the description in the body. Default: the text of the error code. The
   * description in a challenge is always the text of the error code.
   */
  readonly description?: string | undefined;
}

/**
 * Refuses a request. The headers are set before any error handler runs, so that no custom handler can lose the
 * challenge. `Cache-Control` forbids caches to store the response. If the answer names scopes, it also names the scopes
 * of the gate, so that a client learns everything that it needs from one challenge.
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
    // A 401 without needed scopes names the scopes of the gate: a client may request its next token with only the
    // scopes of this challenge, and the token would then lack those of the gate (RFC 9470 §4).
    const named = needed ?? scopesOf401(gate.scopes, code);
    const request = { scheme, schemes, authenticationContext };
    headers['WWW-Authenticate'] = bearerChallenge(gate.challenge, code, named, request);
  }
  if (dpopNonce !== undefined) headers['DPoP-Nonce'] = dpopNonce;
  if (!res.headersSent) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  next(new BearerError(code, Object.freeze(headers), needed, description));
}

/**
 * Whether the response has a challenge. 503 and 429 have none, because the client only has to wait and needs no other
 * credential.
 */
function isChallenged(code: BearerErrorCode): boolean {
  return code !== 'temporarily_unavailable' && code !== 'too_many_requests';
}

function withAuthorization(vary: number | string | readonly string[] | undefined): string {
  const fields = vary === undefined ? [] : String(vary).split(/\s*,\s*/);
  const known = fields.some((field) => field === '*' || field.toLowerCase() === 'authorization');
  return [...fields, ...(known ? [] : ['Authorization'])].join(', ');
}
