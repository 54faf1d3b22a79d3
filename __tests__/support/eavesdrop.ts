import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';

/** Everything that keyward publishes while somebody listens. */
export interface Eavesdropper {
  /** The events of one channel, or of all. */
  heard<E = Readonly<Record<string, unknown>>>(channel?: string): readonly E[];
  /** Forgets what was heard. */
  clear(): void;
  stop(): void;
}

const EVENTS = new URL('../../lib/events/', import.meta.url);

/** The name of every channel of lib/events/. */
export const channelNames: readonly string[] = readdirSync(EVENTS).flatMap((file) => {
  const text = readFileSync(new URL(file, EVENTS), 'utf8');
  return [...text.matchAll(/['"](keyward:[a-z-]+)['"]/g)].flatMap(([, name]) => name ?? []);
});

/** Listens on every channel. */
export function eavesdrop(): Eavesdropper {
  let heard: { readonly name: string; readonly event: unknown }[] = [];
  const listen = (event: unknown, name: string | symbol) => heard.push({ name: String(name), event });
  for (const name of channelNames) subscribe(name, listen);
  return {
    heard: <E>(channel?: string) =>
      heard.filter(({ name }) => channel === undefined || name === channel).map(({ event }) => event as E),
    clear: () => {
      heard = [];
    },
    stop: () => {
      for (const name of channelNames) unsubscribe(name, listen);
    },
  };
}
