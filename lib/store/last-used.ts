/**
 * Records when and from where each secret and each public key was last used, and when each key was last used. Uses are
 * queued in memory and written every few seconds. They do not invalidate caches: no change is written to the feed.
 */
import { sql, type Transaction } from 'kysely';
import type { RecordUse } from '../contracts/key-resolver.js';
import { storedAddress } from '../protocol/ip-address.js';
import { databaseTime } from './database-clock.js';
import type { Engine } from './engine.js';
import type { Tables } from './tables.js';

/** Milliseconds from the first use in an empty queue to the write of the queue. */
const WRITE_INTERVAL = 5_000;
/**
 * Milliseconds after a written use during which further uses of the same secret count as repeats. It is a second less
 * than the minute after which `apiKeys` records the next use of a key, so that this next use is not dropped as a
 * repeat.
 */
const SAME_SECRET_INTERVAL = 59_000;
/**
 * Maximum number of secrets in each queue and in `writtenAt`. If a queue is full, further uses are dropped, because a
 * request must not wait for a write. If `writtenAt` is full, it is emptied.
 */
const MAX_SECRETS = 10_000;
/** The number of secrets that one statement writes. */
const BATCH_SIZE = 200;

interface Use {
  /** Milliseconds of the monotonic clock, because the wall clock may be changed before the use is written. */
  readonly at: number;
  readonly from: string | undefined;
}

type UseBatch = readonly (readonly [digest: string, use: Use])[];

interface TimedUse {
  readonly digest: string;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number;
  readonly from: string | null;
}

export interface LastUsedWriter {
  readonly record: RecordUse;
  /** Writes the queued uses now. */
  flush(): Promise<void>;
}

export function createLastUsedWriter(engine: Engine): LastUsedWriter {
  const queued = new Map<string, Use>();
  /**
   * Uses of secrets whose last use was written less than a minute ago. They are dropped, except if the key was rotated
   * after that write: the Dashboard must then show that the old secret is still in use.
   */
  const repeats = new Map<string, Use>();
  const writtenAt = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function record(digest: string, from: string | undefined): void {
    const now = performance.now();
    const wasWritten = now - (writtenAt.get(digest) ?? Number.NEGATIVE_INFINITY) < SAME_SECRET_INTERVAL;
    const uses = wasWritten ? repeats : queued;
    if (uses.size >= MAX_SECRETS && !uses.has(digest)) return;
    uses.set(digest, { at: now, from });
    timer ??= setTimeout(() => void flush(), WRITE_INTERVAL).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    const [first, repeated] = [drainBatches(queued), drainBatches(repeats)];
    if (writtenAt.size >= MAX_SECRETS) writtenAt.clear();
    try {
      for (const batch of first) await writeBatch(batch);
      for (const batch of repeated) await writeBatch(await rotatedSince(engine, batch));
    } catch {
      // If the store cannot be reached, the feed has already published a warning. The remaining batches would fail too,
      // so they are dropped.
    }
  }

  async function writeBatch(batch: UseBatch): Promise<void> {
    if (batch.length === 0) return;
    await engine.transact(async (tx) => {
      // Keys are locked before secrets, in the same order as in management, because a different order could cause a
      // deadlock.
      const uses = timedUses(batch, await databaseTime(engine, tx));
      await writeKeyUses(tx, uses);
      await writeUses(tx, uses);
    });
    for (const [digest, { at }] of batch) writtenAt.set(digest, at);
  }

  return { record, flush };
}

/**
 * Empties a queue into batches; each batch is written in one transaction. A transaction for each secret would take
 * minutes, and a single transaction for all secrets would lock all their rows for too long.
 */
function drainBatches(uses: Map<string, Use>): readonly UseBatch[] {
  const all = [...uses];
  uses.clear();
  return Array.from({ length: Math.ceil(all.length / BATCH_SIZE) }, (_, index) =>
    all.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  );
}

/**
 * Returns the uses of secrets whose key got another secret after the last use that is stored. The query takes no lock,
 * and rarely finds a row.
 */
async function rotatedSince({ lists }: Engine, uses: UseBatch): Promise<UseBatch> {
  const digests = uses.map(([digest]) => digest);
  const rows = await lists
    .selectFrom('secrets')
    .innerJoin('secrets as newer', 'newer.key_id', 'secrets.key_id')
    .select('secrets.digest')
    .where('secrets.digest', 'in', digests)
    .whereRef('newer.created_at', '>', 'secrets.last_used_at')
    .execute();
  const rotated = new Set(rows.map(({ digest }) => digest));
  return uses.filter(([digest]) => rotated.has(digest));
}

/**
 * Converts the times to the clock of the database. The clock of this machine may be behind: a use after a rotation
 * would then seem to be from before the rotation.
 */
function timedUses(uses: UseBatch, databaseNow: number): readonly TimedUse[] {
  const now = performance.now();
  return uses.map(([digest, { at, from }]) => ({
    digest,
    at: databaseNow - Math.round(now - at),
    from: from === undefined ? null : storedAddress(from),
  }));
}

/** Writes the last uses of secrets and public keys. If another process has written a later use, that use stays. */
async function writeUses(tx: Transaction<Tables>, uses: readonly TimedUse[]): Promise<void> {
  const used = valuesOf(uses);
  for (const table of ['secrets', 'public_keys'] as const) {
    await tx
      .updateTable(table)
      .from(used)
      .set(({ ref }) => ({ last_used_at: ref('used.column2'), last_used_from: ref('used.column3') }))
      .whereRef('digest', '=', 'used.column1')
      .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', eb.ref('used.column2'))]))
      .execute();
  }
}

/** Writes the time of the last use of each key, by which lists of keys can be sorted. */
async function writeKeyUses(tx: Transaction<Tables>, uses: readonly TimedUse[]): Promise<void> {
  for (const table of ['secrets', 'public_keys'] as const) {
    const owners = tx.selectFrom(table).select(['digest', 'key_id']).as('owners');
    const latest = tx
      .selectFrom(valuesOf(uses))
      .innerJoin(owners, 'owners.digest', 'used.column1')
      .select(['owners.key_id as id', ({ fn }) => fn.max('used.column2').as('at')])
      .groupBy('owners.key_id');
    await tx
      .updateTable('keys')
      .from(latest.as('latest'))
      .set(({ ref }) => ({ used_at: ref('latest.at') }))
      .whereRef('keys.id', '=', 'latest.id')
      .whereRef('keys.used_at', '<', 'latest.at')
      .execute();
  }
}

function valuesOf(uses: readonly TimedUse[]) {
  const rows = uses.map(
    ({ digest, at, from }) => sql`(cast(${digest} as text), cast(${at} as bigint), cast(${from} as text))`,
  );
  return sql<{ column1: string; column2: number; column3: string | null }>`(values ${sql.join(rows)})`.as<'used'>(
    'used',
  );
}
