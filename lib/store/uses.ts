/** When and from where each secret was last used: noted at once, written later, and no step of the feed. */
import { sql, type Transaction } from 'kysely';
import type { RecordUse } from '../contracts/key-resolver.js';
import type { Engine } from './engine.js';
import type { Tables } from './tables.js';

/** Milliseconds between two writes of what was noted. */
const WRITE_EVERY = 5_000;
/** Milliseconds between two writes of one secret. */
const SAME_SECRET_EVERY = 60_000;
/** Secrets noted at once, and remembered as written: beyond it notes are lost, since a request must not pay for them. */
const MOST = 10_000;
/** Secrets that one statement writes. */
const AT_ONCE = 500;

interface Use {
  readonly at: number;
  readonly from: string | undefined;
}

export interface Uses {
  readonly record: RecordUse;
  /** Writes what is noted now. */
  flush(): Promise<void>;
}

export function usesOn(engine: Engine): Uses {
  const noted = new Map<string, Use>();
  const writtenAt = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function record(digest: string, from: string | undefined): void {
    const now = Date.now();
    if (now - (writtenAt.get(digest) ?? Number.NEGATIVE_INFINITY) < SAME_SECRET_EVERY || noted.size >= MOST) return;
    noted.set(digest, { at: now, from });
    timer ??= setTimeout(() => void flush(), WRITE_EVERY).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  /** Some at a time: one by one they take minutes, all at once their rows stay locked. */
  async function write(): Promise<void> {
    const uses = [...noted];
    noted.clear();
    if (writtenAt.size >= MOST) writtenAt.clear();
    for (let from = 0; from < uses.length; from += AT_ONCE) {
      const some = uses.slice(from, from + AT_ONCE);
      try {
        await engine.transact((tx) => writeUses(tx, some));
      } catch {
        // The store is out of reach, as its notices say: what is left would only wait for it too.
        return;
      }
      for (const [digest, { at }] of some) writtenAt.set(digest, at);
    }
  }

  return { record, flush };
}

/** Where two processes write the same secrets, the later use holds. */
function writeUses(tx: Transaction<Tables>, uses: readonly (readonly [digest: string, use: Use])[]) {
  const rows = uses.map(
    ([digest, { at, from }]) => sql`(cast(${digest} as text), cast(${at} as bigint), cast(${from ?? null} as text))`,
  );
  const used = sql<{ column1: string; column2: number; column3: string | null }>`(values ${sql.join(rows)})`.as('used');
  return tx
    .updateTable('secrets')
    .from(used)
    .set(({ ref }) => ({ last_used_at: ref('used.column2'), last_used_from: ref('used.column3') }))
    .whereRef('digest', '=', 'used.column1')
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', eb.ref('used.column2'))]))
    .execute();
}
