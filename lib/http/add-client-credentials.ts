/** Authenticates keyward as a client of an authorization server (RFC 6749 §2.3.1, RFC 7523 §2.2). */
import { randomUUID } from 'node:crypto';
import { ASSERTION_TYPE } from '../protocol/jose-rules.js';
import { type ClientPrivateKey, signJwt } from './client-private-key.js';

/**
 * How the client authenticates: with a secret (HTTP Basic), or with JWTs that it signs, called assertions (RFC 7523
 * §2.2).
 */
export type ClientAuthentication =
  | { readonly secret: string }
  | { readonly signingKey: ClientPrivateKey; readonly audience: string };

/** The client ID of keyward at the authorization server, and how keyward authenticates. */
export interface AuthenticatingClient {
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
}

/** The lifetime of an assertion in seconds. */
const ASSERTION_LIFETIME = 60;

/**
 * Adds the credentials of the client to a request: a secret as a header, or an assertion as parameters of the form.
 *
 * @param now - Milliseconds since 1970.
 */
export async function addClientCredentials(
  headers: Headers,
  form: URLSearchParams,
  { clientId, authentication }: AuthenticatingClient,
  now: number,
): Promise<void> {
  if ('secret' in authentication) {
    headers.set('authorization', `Basic ${basicCredentials(clientId, authentication.secret)}`);
    return;
  }
  const { signingKey, audience } = authentication;
  const iat = Math.floor(now / 1_000);
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), iat, exp: iat + ASSERTION_LIFETIME };
  const header = { typ: 'JWT', ...(signingKey.kid === undefined ? {} : { kid: signingKey.kid }) };
  form.set('client_id', clientId);
  form.set('client_assertion_type', ASSERTION_TYPE);
  form.set('client_assertion', await signJwt(signingKey, header, claims));
}

/**
 * Creates the value of the Basic credentials. The client ID and the secret are form-encoded before they are joined (RFC
 * 6749 §2.3.1).
 */
function basicCredentials(clientId: string, secret: string): string {
  return Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
