/** Counts the requests of keys in memory, and writes the counts once a minute, so that no request waits for a write. */
import type { UsageOf } from '../../contracts/key-resolver.js';
import type { UsageCounter } from '../../contracts/usage-counter.js';
import { handleRejection } from '../../events/run-callback.js';
import type { Engine } from '../engine.js';
import type { UsageRow } from '../tables.js';
import { dayOf, MS_PER_DAY, USAGE_DAYS } from './usage-days.js';
import { addUsage, deleteUsageBefore } from './usage-queries.js';

/** Milliseconds between two writes. */
const WRITE_INTERVAL = 60_000;
/** Milliseconds between two deletions of old days. */
const DELETE_INTERVAL = 3_600_000;
/**
 * Maximum number of keys counted in memory, above which counts are written early. Also the maximum number of rows that
 * are kept while the store cannot be reached.
 */
const MAX_WAITING = 100_000;
/** The number of rows that one statement writes or deletes. SQLite blocks the event loop during the statement. */
const BATCH_SIZE = 500;
const MAX_DELETED_BATCHES = 200;

export interface UsageWriter {
  readonly usageOf: UsageOf;
  /** Writes the counts so far. */
  flush(): Promise<void>;
}

export function createUsageWriter(engine: Engine): UsageWriter {
  /**
   * Counters whose counts are not written yet. A key may have several counters, because each cached record of a key has
   * its own.
   */
  let queue: KeyUsage[] = [];
  const queued = new Map<string, KeyUsage>();
  /** The rows to write, by day and key. */
  const rows = new Map<string, UsageRow>();
  let countedOn = 0;
  let deletedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function enqueue(usage: KeyUsage): void {
    if (queue.length === 0) {
      const now = Date.now();
      countedOn = dayOf(now);
      // All counts of an interval belong to the day on which the interval started. So the interval ends at midnight
      // (UTC) at the latest.
      timer = setTimeout(onTimer, Math.min(WRITE_INTERVAL, MS_PER_DAY - (now % MS_PER_DAY))).unref();
    }
    queue.push(usage);
    if (!queued.has(usage.id)) queued.set(usage.id, usage);
    if (queue.length === MAX_WAITING) onTimer();
  }

  function onTimer(): void {
    handleRejection({ of: 'store', callback: 'usageOf' }, flush());
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    drain();
    writing = writing.then(write);
    return writing;
  }

  function drain(): void {
    for (const usage of queue) {
      const { accepted, refused } = usage.take();
      const name = `${countedOn} ${usage.id}`;
      const row = rows.get(name);
      if (row === undefined && rows.size >= MAX_WAITING) continue;
      rows.set(name, {
        ...{ key_id: usage.id, day: countedOn },
        ...{ accepted: (row?.accepted ?? 0) + accepted, refused: (row?.refused ?? 0) + refused },
      });
    }
    queue = [];
    queued.clear();
  }

  async function write(): Promise<void> {
    // The rows are sorted, so that two processes lock them in the same order and cannot deadlock.
    const names = [...rows.keys()].sort();
    try {
      for (let at = 0; at < names.length; at += BATCH_SIZE) await writeBatch(names.slice(at, at + BATCH_SIZE));
      await deleteOldDays();
    } catch {
      // If the store cannot be reached, the feed has already published a warning. The rows are kept for the next write.
    }
  }

  async function writeBatch(names: readonly string[]): Promise<void> {
    const batch = names.flatMap((name) => rows.get(name) ?? []);
    for (const name of names) rows.delete(name);
    try {
      await engine.transact((tx) => addUsage(tx, batch));
    } catch (error) {
      // Counts that arrived during the failed write are in new rows, so the counts of the failed rows are added to
      // those.
      for (const [index, name] of names.entries()) {
        const [failed, newer] = [batch[index], rows.get(name)];
        if (failed === undefined) continue;
        const { accepted, refused } = newer ?? { accepted: 0, refused: 0 };
        rows.set(name, { ...failed, accepted: failed.accepted + accepted, refused: failed.refused + refused });
      }
      throw error;
    }
  }

  async function deleteOldDays(): Promise<void> {
    const now = Date.now();
    if (now - deletedAt < DELETE_INTERVAL) return;
    deletedAt = now;
    const first = dayOf(now) - USAGE_DAYS + 1;
    for (let batch = 0; batch < MAX_DELETED_BATCHES; batch += 1) {
      const deleted = await engine.transact((tx) => deleteUsageBefore(tx, first, BATCH_SIZE));
      if (deleted < BATCH_SIZE) return;
    }
  }

  return { usageOf: (id) => queued.get(id) ?? new KeyUsage(id, enqueue), flush };
}

/** Counts the requests of one key since its counts were last written. */
class KeyUsage implements UsageCounter {
  readonly id: string;
  readonly #enqueue: (usage: KeyUsage) => void;
  #accepted = 0;
  #refused = 0;

  constructor(id: string, enqueue: (usage: KeyUsage) => void) {
    this.id = id;
    this.#enqueue = enqueue;
  }

  accepted(): void {
    this.#accepted += 1;
    if (this.#accepted === 1 && this.#refused === 0) this.#enqueue(this);
  }

  refused(): void {
    this.#refused += 1;
    if (this.#refused === 1 && this.#accepted === 0) this.#enqueue(this);
  }

  take(): { readonly accepted: number; readonly refused: number } {
    const taken = { accepted: this.#accepted, refused: this.#refused };
    this.#accepted = 0;
    this.#refused = 0;
    return taken;
  }
}
