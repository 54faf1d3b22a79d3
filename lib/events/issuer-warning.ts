import { eventChannel } from './event-channel.js';

/** A problem of an issuer that `createIssuer` made. Problems with the keys of other issuers are `KeySetChange`s. */
export interface IssuerWarning {
  /**
   * `limiter_away`: the shared counter of failures cannot be reached. `signing_keys_away`: the store of signing keys
   * cannot be reached, or contains an invalid key. `clock_set_back`: the wall clock went backwards.
   */
  readonly warning: 'limiter_away' | 'signing_keys_away' | 'clock_set_back';
  readonly detail: string | undefined;
}

/** `keyward:issuer`: publishes problems of an issuer for its operator. */
export const issuerWarnings = eventChannel<IssuerWarning>('keyward:issuer');
