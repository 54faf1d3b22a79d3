import { eventChannel } from './event-channel.js';

/**
 * A problem of an issuer that `createIssuer` made. For problems with the keys of another issuer, see `KeySetFetch`.
 */
export interface IssuerWarning {
  /**
   * `limiter_away`: the counter of failed authentications that all processes share cannot be reached, so this process
   * counts alone.
   *
   * `signing_keys_away`: there is a problem with the store of signing keys. It cannot be reached, contains an invalid
   * key, contains too many keys to create a new key, or is also used by an issuer with another algorithm.
   *
   * `clock_set_back`: the wall clock of this machine was set back.
   */
  readonly warning: 'limiter_away' | 'signing_keys_away' | 'clock_set_back';
  /**
   * - `limiter_away`: the class and code of the error.
   * - `signing_keys_away`: the operation of the store that failed, with the class and code of its error, such as
   *   `listSigningKeys: Error ECONNREFUSED`; or a sentence of keyward that says what is wrong.
   * - `clock_set_back`: by how many seconds the clock was set back, such as `5 s`.
   *
   * It never contains the message of an error that keyward did not make, because such a message may contain data.
   */
  readonly detail: string | undefined;
}

/** `keyward:issuer`: publishes problems of an issuer that its operator should know. */
export const issuerWarnings = eventChannel<IssuerWarning>('keyward:issuer');
