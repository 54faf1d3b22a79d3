import { KeywardError } from '../errors/keyward-error.js';

/** The `code` of a `TokenClientError`. */
export type TokenClientErrorCode =
  /**
   * The token endpoint did not send a complete response in time, or the metadata of the issuer could not be fetched or
   * has no valid `token_endpoint`.
   */
  | 'token_endpoint_unreachable'
  /**
   * The token endpoint answered with an error; `status` is its HTTP status. After 429 or 503 with `Retry-After`, the
   * client sends no further token request until this time is over, but at most for 30 seconds, and rejects with the
   * same error.
   */
  | 'token_request_refused'
  /**
   * The response is not a token response (RFC 6749 §5.1), or has a DPoP-bound token although the client did not ask for
   * one.
   */
  | 'invalid_token_response'
  /** The client asked for a DPoP-bound token and got a Bearer token (RFC 9449 §5). */
  | 'dpop_not_supported';

/**
 * The error of a token client that could not obtain an access token. Neither the message nor the cause contains a
 * secret or a token.
 *
 * @example
 * ```ts
 * import { tokenClient, TokenClientError } from 'keyward/client';
 *
 * const client = tokenClient({
 *   issuer: 'https://login.example',
 *   clientId: 'ack_1',
 *   clientSecret: process.env.SECRET ?? '',
 * });
 * try {
 *   await client.accessToken();
 * } catch (error) {
 *   if (!(error instanceof TokenClientError)) throw error;
 *   if (error.code === 'token_endpoint_unreachable') console.warn('try again later');
 * }
 * ```
 */
export class TokenClientError extends KeywardError {
  override readonly name = 'TokenClientError';
  declare readonly code: TokenClientErrorCode;

  constructor(
    code: TokenClientErrorCode,
    message: string,
    options: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
  }
}
