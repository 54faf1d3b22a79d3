import { eventChannel } from './event-channel.js';

/** A problem of an issuer that `createIssuer` made. Problems with the keys of other issuers are `KeySetChange`s. */
export interface IssuerWarning {
  /**
   * `limiter_away`: the shared counter of failures cannot be reached, so this process counts for itself.
   * `signing_keys_away`: the store of signing keys cannot be reached or contains an invalid key, an issuer with another
   * algorithm uses it, or it has so many keys that no new one is created. `clock_set_back`: the wall clock went
   * backwards.
   */
  readonly warning: 'limiter_away' | 'signing_keys_away' | 'clock_set_back';
  /**
   * Class and code of the error, never its message; for `signing_keys_away` also the operation, or what is wrong; for
   * `clock_set_back` the seconds, such as `5 s`.
   */
  readonly detail: string | undefined;
}

/** `keyward:issuer`: publishes problems of an issuer for its operator. */
export const issuerWarnings = eventChannel<IssuerWarning>('keyward:issuer');
