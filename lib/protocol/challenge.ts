/** The `WWW-Authenticate` answer (RFC 9110 §11.6.1, RFC 6750 §3). */
import { BEARER_ERRORS, type BearerErrorCode, isOauthError } from './oauth-error.js';
import { formatScope } from './scope.js';

/** What a challenge of one gate always says. */
export interface ChallengeContext {
  readonly realm: string;
  /** URL of the protected resource's metadata (RFC 9728 §5.1). */
  readonly resourceMetadata: string | undefined;
}

const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;

/** Whether a text can stand in a quoted-string without a change of meaning at some proxy on the way. */
export function isQuotable(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

/**
 * Writes a challenge: bare where nothing was presented (RFC 6750 §3.1), else with the error, and with the scopes that
 * the resource needs where scopes were asked.
 */
export function bearerChallenge(context: ChallengeContext, code: BearerErrorCode, scopes?: readonly string[]): string {
  const parameters: [name: string, value: string][] = [['realm', context.realm]];
  if (isOauthError(code)) parameters.push(['error', code], ['error_description', BEARER_ERRORS[code].description]);
  if (scopes !== undefined) parameters.push(['scope', formatScope(scopes)]);
  if (context.resourceMetadata !== undefined) parameters.push(['resource_metadata', context.resourceMetadata]);
  return `Bearer ${parameters.map(([name, value]) => `${name}=${quoted(value)}`).join(', ')}`;
}

/** The challenges that name no scopes, by code: they are the same for every request. */
export function plainChallenges(context: ChallengeContext): Readonly<Record<BearerErrorCode, string>> {
  const codes = Object.keys(BEARER_ERRORS) as BearerErrorCode[];
  const written = codes.map((code) => [code, bearerChallenge(context, code)]);
  return Object.freeze(Object.fromEntries(written));
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
