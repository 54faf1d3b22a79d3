import { channel } from 'node:diagnostics_channel';

/** One named channel of `node:diagnostics_channel`, with the type of what goes over it. */
export interface EventChannel<E extends object> {
  /** Whether anybody listens. Ask before making an event, so that it costs nothing when nobody does. */
  readonly hasSubscribers: boolean;
  publish(event: E): void;
}

/** Opens a channel by name. Subscribers find it by the same name, whichever copy of keyward they load. */
export function eventChannel<E extends object>(name: string): EventChannel<E> {
  return channel(name);
}
