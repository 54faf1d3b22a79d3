import { eventChannel } from './event-channel.js';

/**
 * A problem of an issuer that `createIssuer` made. For problems with the keys of another issuer, see `KeySetChange`.
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
   * The class and code of the error, never its message. For `signing_keys_away`, it also has the operation that failed,
   * or it says what is wrong. For `clock_set_back`, it has the number of seconds, such as `5 s`.
   */
  readonly detail: string | undefined;
}

/** `keyward:issuer`: publishes problems of an issuer that its operator should know. */
export const issuerWarnings = eventChannel<IssuerWarning>('keyward:issuer');
