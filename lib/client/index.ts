/** The entry point `keyward/client`: obtains access tokens for a server that calls an API. */
export type { PrivateKeyInput } from '../http/client-private-key.js';
export { type TokenClient, tokenClient } from './token-client.js';
export { TokenClientError, type TokenClientErrorCode } from './token-client-error.js';
export type { TokenClientOptions } from './token-client-options.js';
