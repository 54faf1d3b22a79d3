import type { Change, FeedListener } from 'keyward';

/** What a feed has reported. */
export interface HeardFeed {
  /** The changes, in the order in which they were reported. */
  readonly changes: Change[];
  /** How often it said that nothing is missing. */
  currents(): number;
  /** How old each of these was, in milliseconds. */
  readonly ages: readonly number[];
  stop(): void;
}

interface Watched {
  watch(feed: FeedListener): () => void;
}

/** Listens to a store. */
export function listenTo(store: Watched): HeardFeed {
  const changes: Change[] = [];
  const ages: number[] = [];
  let currents = 0;
  const stop = store.watch({
    onChange: (change) => changes.push(change),
    onCaughtUp: (age = 0) => {
      currents += 1;
      ages.push(age);
    },
    onGap: () => undefined,
  });
  return { changes, ages, currents: () => currents, stop };
}
