import { eventChannel } from './event-channel.js';

/** What became of a change feed. */
export interface FeedNotice {
  /** Which resolver: `apiKeys` or `accessKeys`. */
  readonly of: string;
  /** `lost`: changes may have been missed. `garbled`: a change could not be read, so everything cached was dropped. */
  readonly outcome: 'lost' | 'garbled';
}

/** `keyward:feed`: a change feed was lost, or said something that is no change. */
export const feedNotices = eventChannel<FeedNotice>('keyward:feed');
