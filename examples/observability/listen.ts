import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Decision, FeedWarning, KeySetFetch, LookupFailure } from 'keyward';

/** What can be heard of keyward, by channel. */
export interface Listeners {
  readonly 'keyward:decision'?: (event: Decision) => void;
  readonly 'keyward:lookup-failure'?: (event: LookupFailure) => void;
  readonly 'keyward:key-set'?: (event: KeySetFetch) => void;
  readonly 'keyward:feed'?: (event: FeedWarning) => void;
}

/**
 * Starts listening. What a listener throws goes to `report`: thrown on, it would end the process.
 *
 * @returns What ends it.
 */
export function listen(listeners: Listeners, report: (error: unknown) => void = console.error): () => void {
  const endings = Object.entries(listeners).map(([channel, listener]: [string, (event: never) => void]) => {
    const hear = (event: unknown) => {
      try {
        listener(event as never);
      } catch (error) {
        report(error);
      }
    };
    subscribe(channel, hear);
    return () => unsubscribe(channel, hear);
  });
  return () => {
    for (const end of endings) end();
  };
}
