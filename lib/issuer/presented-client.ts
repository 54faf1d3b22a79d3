/** How a client presents itself at the token endpoint (RFC 6749 §2.3.1). */
import type { IncomingMessage } from 'node:http';
import { type ClientCredentials, readBasic } from '../protocol/basic.js';
import { repeatsAuthorization } from '../protocol/bearer.js';
import { TokenRefusal } from './token-refusal.js';

/** The ways in which a client may present its secret. */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

/** Every way, for checking options. */
export const CLIENT_AUTHENTICATION: readonly ClientAuthentication[] = Object.freeze([
  'client_secret_basic',
  'client_secret_post',
] as const);

/** What was presented, and how. */
export interface PresentedClient extends ClientCredentials {
  readonly by: 'basic' | 'body' | 'both';
}

/** An id or a secret longer than this is nobody's, and is not hashed. */
const MAX_LENGTH = 256;

/** RFC 6749 Appendix A.1 and A.2 have none. Many a store refuses to look up a text with NUL, and that would be 503. */
const CONTROL = /\p{Cc}/u;

/**
 * Reads the credentials of a client: from the header, from the body, or from both where they agree (the Python SDK of
 * Checkout.com sends both; RFC 6749 §2.3 would refuse it).
 *
 * @throws TokenRefusal `invalid_client` where there are none, or not of a way that is taken; `invalid_request` where
 *   header and body differ, and for two Authorization lines.
 */
export function presentedClient(
  req: IncomingMessage,
  parameters: ReadonlyMap<string, string>,
  ways: readonly ClientAuthentication[],
): PresentedClient {
  const { authorization } = req.headers;
  if (repeatsAuthorization(req.rawHeaders)) throw new TokenRefusal('invalid_request', 'repeated_authorization');
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) throw new TokenRefusal('invalid_client', 'no_credentials');
    if (!ways.includes('client_secret_post')) throw new TokenRefusal('invalid_client', 'body_not_taken');
    if (CONTROL.test(id) || CONTROL.test(secret)) throw new TokenRefusal('invalid_client', 'body_malformed');
    return bounded({ id, secret, by: 'body' });
  }
  const basic = readBasic(authorization);
  if (basic === undefined) throw new TokenRefusal('invalid_client', 'header_malformed');
  if (!ways.includes('client_secret_basic')) throw new TokenRefusal('invalid_client', 'header_not_taken');
  if ((id ?? basic.id) !== basic.id || (secret ?? basic.secret) !== basic.secret) {
    throw new TokenRefusal('invalid_request', 'header_and_body_differ');
  }
  if (secret !== undefined && !ways.includes('client_secret_post')) {
    throw new TokenRefusal('invalid_request', 'body_not_taken');
  }
  // Spread last: else V8 of Node 20 makes a shape of its own for each.
  return bounded({ by: secret === undefined ? 'basic' : 'both', ...basic });
}

function bounded(client: PresentedClient): PresentedClient {
  if (client.id.length > MAX_LENGTH || client.secret.length > MAX_LENGTH) {
    throw new TokenRefusal('invalid_client', 'credentials_too_long');
  }
  return client;
}
