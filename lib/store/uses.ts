/** When and from where each secret was last used: noted at once, written later, and no step of the feed. */
import { sql, type Transaction } from 'kysely';
import type { RecordUse } from '../contracts/key-resolver.js';
import type { Engine } from './engine.js';
import type { Tables } from './tables.js';

/** Milliseconds between two writes of what was noted. */
const WRITE_EVERY = 5_000;
/** Milliseconds between two writes of one secret: a second less than verifiers wait, whose clock is another. */
const SAME_SECRET_EVERY = 59_000;
/** Secrets noted at once, and remembered as written: beyond it notes are lost, since a request must not pay for them. */
const MOST = 10_000;
/** Secrets that one statement writes. */
const AT_ONCE = 500;

interface Use {
  readonly at: number;
  readonly from: string | undefined;
}

type Noted = readonly (readonly [digest: string, use: Use])[];

export interface Uses {
  readonly record: RecordUse;
  /** Writes what is noted now. */
  flush(): Promise<void>;
}

export function usesOn(engine: Engine): Uses {
  const noted = new Map<string, Use>();
  /** Of secrets that were written a moment ago: whoever rolled the key since waits for them. */
  const again = new Map<string, Use>();
  const writtenAt = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function record(digest: string, from: string | undefined): void {
    const now = Date.now();
    const wasWritten = now - (writtenAt.get(digest) ?? Number.NEGATIVE_INFINITY) < SAME_SECRET_EVERY;
    const uses = wasWritten ? again : noted;
    if (uses.size >= MOST) return;
    uses.set(digest, { at: now, from });
    timer ??= setTimeout(() => void flush(), WRITE_EVERY).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    const [first, repeated] = [takenFrom(noted), takenFrom(again)];
    if (writtenAt.size >= MOST) writtenAt.clear();
    try {
      for (const some of first) await writeSome(some);
      for (const some of repeated) await writeSome(await sinceRolled(engine, some));
    } catch {
      // The store is out of reach, as its notices say: what is left would only wait for it too.
    }
  }

  async function writeSome(some: Noted): Promise<void> {
    if (some.length === 0) return;
    await engine.transact((tx) => writeUses(tx, some));
    for (const [digest, { at }] of some) writtenAt.set(digest, at);
  }

  return { record, flush };
}

/** Takes all out, some at a time: one by one they take minutes to write, all at once their rows stay locked. */
function takenFrom(uses: Map<string, Use>): readonly Noted[] {
  const all = [...uses];
  uses.clear();
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, index) =>
    all.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
}

/** Those of keys that got a newer text since the last use that is stored. To ask costs no lock, and seldom finds one. */
async function sinceRolled({ reader }: Engine, uses: Noted): Promise<Noted> {
  const digests = uses.map(([digest]) => digest);
  const rows = await reader
    .selectFrom('secrets')
    .innerJoin('secrets as newer', 'newer.key_id', 'secrets.key_id')
    .select('secrets.digest')
    .where('secrets.digest', 'in', digests)
    .whereRef('newer.created_at', '>', 'secrets.last_used_at')
    .execute();
  const rolled = new Set(rows.map(({ digest }) => digest));
  return uses.filter(([digest]) => rolled.has(digest));
}

/** Where two processes write the same secrets, the later use holds. */
function writeUses(tx: Transaction<Tables>, uses: Noted) {
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
