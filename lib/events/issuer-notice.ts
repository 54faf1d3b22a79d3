import { eventChannel } from './event-channel.js';

/** Something about an issuer that its operator should know. */
export interface IssuerNotice {
  /**
   * `limiter_away`: the store of failures cannot be reached. `signing_keys_away`: the store of signing keys cannot, or
   * what it holds is no key. `clock_set_back`: the wall clock went backwards.
   */
  readonly notice: 'limiter_away' | 'signing_keys_away' | 'clock_set_back';
  readonly detail: string | undefined;
}

/** `keyward:issuer`: things about an issuer that its operator should know. */
export const issuerNotices = eventChannel<IssuerNotice>('keyward:issuer');
