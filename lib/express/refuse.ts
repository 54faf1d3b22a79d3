/** A refusal on its way: headers on the response, error to `next`. */
import type { ServerResponse } from 'node:http';
import { bearerChallenge } from '../protocol/challenge.js';
import type { BearerErrorCode } from '../protocol/oauth-error.js';
import { BearerError } from './bearer-error.js';
import type { GateFacts } from './gate.js';

/** What the caller is told. */
export interface Answer {
  readonly code: BearerErrorCode;
  /** The scopes that the route needs, where scopes were asked. */
  readonly scopes?: readonly string[] | undefined;
  /** Seconds; for `temporarily_unavailable`. */
  readonly retryAfter?: number | undefined;
}

/**
 * Refuses a request. The challenge stands on the response before any error handler runs, so that a home-made one cannot
 * lose it; and no shared cache may keep the answer.
 */
export function refuse(
  res: ServerResponse,
  next: (error: unknown) => void,
  { challenge, plainChallenges }: Pick<GateFacts, 'challenge' | 'plainChallenges'>,
  { code, scopes, retryAfter = 1 }: Answer,
): void {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    Vary: withAuthorization(res.getHeader('Vary')),
  };
  if (code === 'temporarily_unavailable') headers['Retry-After'] = String(retryAfter);
  else if (scopes === undefined) headers['WWW-Authenticate'] = plainChallenges[code];
  else headers['WWW-Authenticate'] = bearerChallenge(challenge, code, scopes);
  if (!res.headersSent) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  next(new BearerError(code, Object.freeze(headers), scopes));
}

function withAuthorization(vary: number | string | readonly string[] | undefined): string {
  const fields = vary === undefined ? [] : String(vary).split(/\s*,\s*/);
  const known = fields.some((field) => field === '*' || field.toLowerCase() === 'authorization');
  return [...fields, ...(known ? [] : ['Authorization'])].join(', ');
}
