import { channel } from 'node:diagnostics_channel';

/** A channel of `node:diagnostics_channel`, with the type of its events. */
export interface EventChannel<E extends object> {
  /**
   * Whether anyone subscribes. Check this before you create an event, so that an event without subscribers costs
   * nothing.
   */
  readonly hasSubscribers: boolean;
  publish(event: E): void;
}

/**
 * Opens a channel by name. The names are in the other files of this folder: `keyward:decision`, `keyward:token` and so
 * on. Every copy of keyward in the process opens the same channel for a name.
 */
export function eventChannel<E extends object>(name: string): EventChannel<E> {
  return channel(name);
}
