import { eventChannel } from './event-channel.js';

/** Something about an issuer that its operator should know. */
export interface IssuerNotice {
  /** `limiter_away`: the store of failures cannot be reached. `clock_set_back`: the wall clock went backwards. */
  readonly notice: 'limiter_away' | 'clock_set_back';
  readonly detail: string | undefined;
}

/** `keyward:issuer`: things about an issuer that its operator should know. */
export const issuerNotices = eventChannel<IssuerNotice>('keyward:issuer');
