/**
 * The authorization endpoint (RFC 6749 §3.1). It refuses every request, because the issuer supports only the client
 * credentials grant.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer } from './json-response.js';

/** The path of the authorization endpoint under the issuer. */
export const AUTHORIZATION_PATH = '/connect/authorize';

const REFUSAL = Object.freeze({
  error: 'unsupported_response_type',
  error_description: 'This issuer does not support authorization requests; use the client credentials grant',
});

/**
 * Responds with 400 `unsupported_response_type` (RFC 6749 §4.1.2.1) to every request. It never redirects, because
 * clients have no registered redirect URI. The endpoint exists because some client libraries refuse metadata without
 * `authorization_endpoint`, even if they use another grant.
 */
export function refuseAuthorization(_req: IncomingMessage, res: ServerResponse): void {
  answer(res, 400, REFUSAL);
}
