/**
 * Reads the credentials that a client presents to an endpoint of the issuer: a secret (RFC 6749 §2.3.1) or an assertion
 * (RFC 7521 §4.2).
 */
import type { IncomingMessage } from 'node:http';
import { repeatsAuthorization } from '../../protocol/authorization-header.js';
import { type ClientCredentials, readBasic } from '../../protocol/basic.js';
import { ASSERTION_TYPE } from '../../protocol/jose-rules.js';
import { TokenRequestError } from '../token-request-error.js';
import type { Assertion, ReadAssertion } from './read-assertion.js';

/**
 * How a client may authenticate: with its secret, or with an assertion that it signs with its private key (RFC 7523).
 */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** The values that the option `clientAuthentication` of `createIssuer` may contain. */
export const CLIENT_AUTHENTICATION: readonly ClientAuthentication[] = Object.freeze([
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const);

/** The credentials of a client, and the method by which it sent them. */
export type PresentedClient = PresentedSecret | PresentedAssertion;

interface PresentedSecret extends ClientCredentials {
  readonly by: 'basic' | 'body' | 'both';
}

interface PresentedAssertion {
  readonly by: 'assertion';
  readonly id: string;
  readonly assertion: Assertion;
}

export interface PresentationRules {
  readonly clientAuthentication: readonly ClientAuthentication[];
  readonly readAssertion: ReadAssertion;
}

/** The names of the parameters of an assertion (RFC 7521 §4.2). */
const ASSERTION_PARAMETERS = ['client_assertion', 'client_assertion_type'];

/** Maximum length of a client ID or a client secret. A longer value is refused before it is hashed or looked up. */
const MAX_LENGTH = 256;

/**
 * Matches control characters, which RFC 6749 Appendix A.1 and A.2 do not allow in a client ID or a secret. Without this
 * check, a NUL would make the lookup fail in many databases, and the client would get 503.
 */
const CONTROL = /\p{Cc}/u;

/**
 * Reads the credentials of a client: an assertion, or a secret. The secret may be in the header, in the body, or in
 * both if they are equal. RFC 6749 §2.3 does not allow both, but the Python SDK of Checkout.com sends both.
 *
 * @throws TokenRequestError `invalid_client` if there are no valid credentials, or if their method is not allowed;
 *   `invalid_request` if header and body differ, if there are two Authorization headers, or if there are an assertion
 *   and a secret.
 */
export function presentedClient(
  req: IncomingMessage,
  parameters: ReadonlyMap<string, string>,
  { clientAuthentication: ways, readAssertion }: PresentationRules,
): PresentedClient {
  const { authorization } = req.headers;
  if (repeatsAuthorization(req)) throw new TokenRequestError('invalid_request', 'repeated_authorization');
  if (ASSERTION_PARAMETERS.some((name) => parameters.has(name))) {
    if (!ways.includes('private_key_jwt')) throw new TokenRequestError('invalid_client', 'assertion_not_taken');
    return presentedAssertion(authorization, parameters, readAssertion);
  }
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) throw new TokenRequestError('invalid_client', 'no_credentials');
    if (!ways.includes('client_secret_post')) throw new TokenRequestError('invalid_client', 'body_not_accepted');
    if (CONTROL.test(id) || CONTROL.test(secret)) throw new TokenRequestError('invalid_client', 'body_malformed');
    return bounded({ id, secret, by: 'body' });
  }
  const basic = readBasic(authorization);
  if (basic === undefined) throw new TokenRequestError('invalid_client', 'header_malformed');
  if (!ways.includes('client_secret_basic')) throw new TokenRequestError('invalid_client', 'header_not_accepted');
  if ((id ?? basic.id) !== basic.id || (secret ?? basic.secret) !== basic.secret) {
    throw new TokenRequestError('invalid_request', 'header_and_body_differ');
  }
  if (secret !== undefined && !ways.includes('client_secret_post')) {
    throw new TokenRequestError('invalid_request', 'body_not_accepted');
  }
  // `basic` is spread last for speed: otherwise V8 of Node 20 creates a hidden class for each object.
  return bounded({ by: secret === undefined ? 'basic' : 'both', ...basic });
}

/**
 * Reads an assertion. A request with an assertion and a secret is refused, because a client must not use two methods
 * (RFC 6749 §2.3). A parameter `client_id` must name the same client as the assertion (RFC 7521 §4.2).
 */
function presentedAssertion(
  authorization: string | undefined,
  parameters: ReadonlyMap<string, string>,
  readAssertion: ReadAssertion,
): PresentedAssertion {
  if (authorization !== undefined || parameters.has('client_secret')) {
    throw new TokenRequestError('invalid_request', 'assertion_and_secret');
  }
  const text = parameters.get('client_assertion');
  if (text === undefined || parameters.get('client_assertion_type') !== ASSERTION_TYPE) {
    throw new TokenRequestError('invalid_request', 'assertion_type');
  }
  const assertion = readAssertion(text);
  const id = parameters.get('client_id') ?? assertion.clientId;
  if (id !== assertion.clientId) throw new TokenRequestError('invalid_request', 'assertion_of_another_client');
  return { by: 'assertion', id, assertion };
}

function bounded(client: PresentedSecret): PresentedSecret {
  if (client.id.length > MAX_LENGTH || client.secret.length > MAX_LENGTH) {
    throw new TokenRequestError('invalid_client', 'credentials_too_long');
  }
  return client;
}
