/** Which records a caller may see. */
import type { Principal } from 'keyward';

/** The members of a principal that decide which records it may see. */
export type Caller = Pick<Principal, 'account' | 'channels'>;

/** A record that belongs to an account, and went through a processing channel if it names one. */
export interface Owned {
  readonly account: string;
  readonly processing_channel_id: string | undefined;
}

/** A caller sees the records of its own account; a caller that is restricted to channels sees only the records of these channels. */
export function owns({ account, channels }: Caller, record: Owned): boolean {
  if (record.account !== account) return false;
  if (channels === 'all') return true;
  return record.processing_channel_id !== undefined && channels.includes(record.processing_channel_id);
}

/** The account that a caller acts for. */
export function accountOf({ account }: Caller): string {
  if (account === undefined) throw new Error('a token has an account only if accessTokens is given accessKeys');
  return account;
}
