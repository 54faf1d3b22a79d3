/**
 * The replay cache of the store: a table with the ids of used proofs and assertions, so that none is accepted twice.
 */
import type { Engine } from './engine.js';
import { deleteExpiredIds, storeUsedId } from './used-ids.js';

/** Milliseconds between two deletions of expired ids by one process. */
const PRUNE_EVERY = 10_000;

export interface SqlReplayCache {
  firstUse(id: string, seconds: number): Promise<boolean>;
}

export function createSqlReplayCache(engine: Engine): SqlReplayCache {
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function firstUse(id: string, seconds: number): Promise<boolean> {
    const isNew = await engine.writeForRequest((db) => storeUsedId(engine, db, id, seconds));
    const now = performance.now();
    if (now - prunedAt >= PRUNE_EVERY) {
      prunedAt = now;
      // An error is ignored, because the next deletion removes the same rows.
      void deleteExpiredIds(engine).catch(() => undefined);
    }
    return isNew;
  }

  return { firstUse };
}
