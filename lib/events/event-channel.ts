import { channel } from 'node:diagnostics_channel';

/** A channel of `node:diagnostics_channel`, with the type of its events. */
export interface EventChannel<E extends object> {
  /**
   * Whether the channel has a subscriber. Check this before you create an event: without subscribers, creating it is
   * wasted work.
   */
  readonly hasSubscribers: boolean;
  publish(event: E): void;
}

/**
 * Returns the channel with a name, such as `keyward:decision`. All copies of keyward in a process share the channel of
 * a name. The other files in this folder contain the names.
 */
export function eventChannel<E extends object>(name: string): EventChannel<E> {
  return channel(name);
}
