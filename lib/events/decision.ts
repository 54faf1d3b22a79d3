import type { Kind } from '../credentials/kind.js';
import type { BearerErrorCode } from '../protocol/oauth-error.js';
import { eventChannel } from './event-channel.js';

/** What a gate or a guard decided about one request. It never holds a credential, nor an unverified word of one. */
export interface Decision {
  /** `accepted` by a gate; `refused` by a gate or a guard; `unavailable`: nobody could tell; `noticed`: let through. */
  readonly outcome: 'accepted' | 'refused' | 'unavailable' | 'noticed';
  /** Who decided: `requireBearer`, or the guard's name. */
  readonly by: string;
  /** What the caller was told; `undefined` where it was let through. */
  readonly code: BearerErrorCode | undefined;
  /** Why, for the operator alone. docs/reference/events.md lists the reasons. */
  readonly reason: string | undefined;
  readonly kind: Kind | undefined;
  readonly keyId: string | undefined;
  readonly account: string | undefined;
  /** First eight hex digits of the digest of a credential that nobody knows, to tell one guesser from many. */
  readonly fingerprint: string | undefined;
  readonly method: string | undefined;
  /** The request's path as the gate saw it, without its query. */
  readonly path: string | undefined;
}

/** `keyward:decision`: each decision of a gate, and each refusal of a guard. */
export const decisions = eventChannel<Decision>('keyward:decision');
