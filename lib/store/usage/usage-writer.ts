/** Counts the requests of keys in memory, and writes the counts once a minute, so that no request waits for a write. */
import { randomUUID } from 'node:crypto';
import type { UsageOf } from '../../contracts/key-resolver.js';
import type { UsageCounter } from '../../contracts/usage-counter.js';
import { databaseTime } from '../database-clock.js';
import type { Engine } from '../engine.js';
import { publishWarning } from '../publish-warning.js';
import { StoreError } from '../store-error.js';
import type { UsageRow } from '../tables.js';
import { deleteExpiredIds } from '../used-ids.js';
import { addUsageOnce, deleteUsageBefore, type UsageBatch } from './usage-queries.js';
import { dayOf, MS_PER_DAY, USAGE_DAYS } from './utc-days.js';

/**
 * Milliseconds from the first counted request to the write of the counts. The write is earlier if the day (UTC) ends.
 */
const WRITE_INTERVAL = 60_000;
/** Minimum milliseconds between two deletions of the counts of old days. */
const DELETE_INTERVAL = 3_600_000;
/**
 * Maximum number of counters and of rows that wait to be written. If this many counters wait, they are written before
 * `WRITE_INTERVAL` has passed. If this many rows wait because the store cannot be reached, new rows are dropped.
 */
const MAX_WAITING = 100_000;
/** The number of rows that one statement writes or deletes. SQLite blocks the event loop during the statement. */
const BATCH_SIZE = 500;
const MAX_DELETED_BATCHES = 200;
/** SQLSTATEs of errors that will occur again at the next write, for example because a right is missing. */
const REFUSED = /^42/;

export interface UsageWriter {
  readonly usageOf: UsageOf;
  /** Writes all counts now. The promise never rejects: counts whose write fails wait for the next write. */
  flush(): Promise<void>;
}

export function createUsageWriter(engine: Engine): UsageWriter {
  /**
   * Counters with counts that are not written yet. A key may have several counters, because each cached record of a key
   * has its own counter.
   */
  let queue: KeyUsage[] = [];
  const queued = new Map<string, KeyUsage>();
  /** The rows to write, by day and key. */
  const rows = new Map<string, UsageRow>();
  /** The batch whose write failed. It keeps its id, because its commit may have succeeded. */
  let failed: UsageBatch | undefined;
  /** The id of the last batch that was written. */
  let written = '';
  let countedOn = 0;
  let deletedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function enqueue(usage: KeyUsage): void {
    if (queue.length === 0) {
      const now = Date.now();
      countedOn = dayOf(now);
      // All counts of an interval belong to the day on which the interval started. So the interval ends at midnight
      // (UTC) at the latest.
      timer = setTimeout(() => void flush(), Math.min(WRITE_INTERVAL, MS_PER_DAY - (now % MS_PER_DAY))).unref();
    }
    queue.push(usage);
    if (!queued.has(usage.id)) queued.set(usage.id, usage);
    if (queue.length === MAX_WAITING) void flush();
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
    // Without counts, old days are not deleted either: a store that was used only to read must write nothing when
    // closed.
    if (failed === undefined && names.length === 0) return;
    try {
      if (failed !== undefined) await writeBatch(failed);
      for (let at = 0; at < names.length; at += BATCH_SIZE) {
        await writeBatch(takeBatch(names.slice(at, at + BATCH_SIZE)));
      }
      await deleteOld();
    } catch (error) {
      // The rows are kept for the next write. If the store cannot be reached, the feed has already published a warning.
      if (error instanceof StoreError && REFUSED.test(error.driverCode))
        publishWarning('usage_not_written', error.message);
    }
  }

  function takeBatch(names: readonly string[]): UsageBatch {
    const batch = { id: `usage.${randomUUID()}`, rows: names.flatMap((name) => rows.get(name) ?? []) };
    for (const name of names) rows.delete(name);
    return batch;
  }

  async function writeBatch(batch: UsageBatch): Promise<void> {
    failed = batch;
    await engine.transact((tx) => addUsageOnce(engine, tx, batch, written));
    failed = undefined;
    written = batch.id;
  }

  async function deleteOld(): Promise<void> {
    const now = performance.now();
    if (now - deletedAt < DELETE_INTERVAL) return;
    deletedAt = now;
    await deleteExpiredIds(engine);
    for (let batch = 0; batch < MAX_DELETED_BATCHES; batch += 1) {
      const deleted = await engine.transact(async (tx) => {
        // The clock of the database is used: a process whose clock is ahead would delete days that are still shown.
        const first = dayOf(await databaseTime(engine, tx)) - USAGE_DAYS + 1;
        return await deleteUsageBefore(tx, first, BATCH_SIZE);
      });
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
