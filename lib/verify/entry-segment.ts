/** Cached entries of one sort: bounded, least recently used first to go, found again by whom they are about. */
import { LRUCache } from 'lru-cache';

/** Whom an entry is about; `undefined` where nobody is known. */
export interface Subject {
  readonly id: string | undefined;
  readonly account: string | undefined;
}

/** An entry, as the segment sees it. */
export interface SegmentEntry {
  readonly subject: Subject;
  /** Whether the entry is in its segment, for those who hold it elsewhere. */
  live: boolean;
}

export class EntrySegment<E extends SegmentEntry> {
  readonly #entries: LRUCache<string, E>;
  // Nearly every id has one entry, so a plain text does; a key that is being rolled has two.
  readonly #keyOfId = new Map<string, string>();
  readonly #furtherKeysOfId = new Map<string, Set<string>>();

  constructor(max: number) {
    this.#entries = new LRUCache({ max, dispose: (entry, key) => this.#retire(entry, key) });
  }

  /** Finds an entry, and counts as a use of it. */
  get(key: string): E | undefined {
    return this.#entries.get(key);
  }

  /** Finds an entry without counting as a use. */
  peek(key: string): E | undefined {
    return this.#entries.peek(key);
  }

  set(key: string, entry: E): void {
    this.#entries.set(key, entry);
    entry.live = true;
    const id = entry.subject.id;
    if (id === undefined) return;
    const first = this.#keyOfId.get(id);
    if (first === undefined || first === key) this.#keyOfId.set(id, key);
    else this.#furtherKeysOfId.set(id, (this.#furtherKeysOfId.get(id) ?? new Set()).add(key));
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Drops the entries about an id that fit. */
  deleteOf(id: string, fits: (entry: E) => boolean): void {
    const first = this.#keyOfId.get(id);
    if (first === undefined) return;
    for (const key of [first, ...(this.#furtherKeysOfId.get(id) ?? [])]) {
      const entry = this.#entries.peek(key);
      if (entry !== undefined && fits(entry)) this.#entries.delete(key);
    }
  }

  /** Drops every entry that fits. It walks them all: for changes that are rare. */
  deleteWhere(fits: (entry: E) => boolean): void {
    for (const [key, entry] of [...this.#entries.entries()]) {
      if (fits(entry)) this.#entries.delete(key);
    }
  }

  #retire(entry: E, key: string): void {
    entry.live = false;
    const id = entry.subject.id;
    if (id === undefined) return;
    const further = this.#furtherKeysOfId.get(id);
    const [next] = further ?? [];
    if (this.#keyOfId.get(id) !== key) further?.delete(key);
    else if (next === undefined) this.#keyOfId.delete(id);
    else {
      this.#keyOfId.set(id, next);
      further?.delete(next);
    }
    if (further?.size === 0) this.#furtherKeysOfId.delete(id);
  }
}
