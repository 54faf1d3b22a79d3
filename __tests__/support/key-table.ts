import { createHash } from 'node:crypto';
import type { Awaitable, Change, Environment, FeedListener, KeyKind, KeyRecord, PresentedKey } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';

/** A table of keys that counts its lookups, and answers as the test sets it. */
export interface KeyTable {
  /** For `apiKeys({ resolver })`: without a change feed. */
  readonly resolveKey: (key: PresentedKey) => Awaitable<KeyRecord | null | undefined>;
  /** For `apiKeys({ resolver })`: with one. */
  readonly watched: KeyFeed;
  /** How many lookups were made. */
  lookups(): number;
  /** Mints a key and puts its record in. */
  add(traits?: KeyTraits): string;
  /** What the record of a key holds. */
  recordOf(key: string): KeyRecord;
  /** Changes the record of a key; no cache hears of it. */
  edit(key: string, changes: Partial<KeyRecord>): void;
  remove(key: string): void;
  /** From now on lookups are answered so; `undefined`: from the table again. */
  answer(answer: ((key: PresentedKey) => unknown) | undefined): void;
}

/** The resolver with its feed: what a test says, every listener hears. */
export interface KeyFeed {
  readonly resolveKey: KeyTable['resolveKey'];
  watch(listener: FeedListener): () => void;
  onChange(change: Change): void;
  onCaughtUp(): void;
  onGap(): void;
}

export type KeyTraits = Partial<KeyRecord> & { readonly kind?: KeyKind; readonly environment?: Environment };

export function createKeyTable(): KeyTable {
  const records = new Map<string, KeyRecord>();
  const listeners: FeedListener[] = [];
  let lookups = 0;
  let answer: ((key: PresentedKey) => unknown) | undefined;

  function resolveKey(key: PresentedKey) {
    lookups += 1;
    return (answer === undefined ? records.get(key.digest) : answer(key)) as Awaitable<KeyRecord | undefined>;
  }

  function recordOf(key: string): KeyRecord {
    const record = records.get(digest(key));
    if (record === undefined) throw new Error('the table has no such key');
    return record;
  }

  return {
    resolveKey,
    recordOf,
    lookups: () => lookups,
    add(traits = {}) {
      const { kind = 'secret', environment = 'live' } = traits;
      const key = mintKey(kind, environment);
      const apis = kind === 'secret' ? ('all' as const) : ['payments'];
      const id = `key_${records.size + 1}`;
      records.set(digest(key), { id, kind, environment, account: 'acc_1', apis, ...traits });
      return key;
    },
    edit: (key, changes) => {
      records.set(digest(key), { ...recordOf(key), ...changes });
    },
    remove: (key) => {
      records.delete(digest(key));
    },
    answer: (next) => {
      answer = next;
    },
    watched: {
      resolveKey,
      watch: (listener) => {
        listeners.push(listener);
        return () => {};
      },
      onChange: (change) => {
        for (const listener of listeners) listener.onChange(change);
      },
      onCaughtUp: () => {
        for (const listener of listeners) listener.onCaughtUp();
      },
      onGap: () => {
        for (const listener of listeners) listener.onGap();
      },
    },
  };
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
