/**
 * Records which issuers use a database, and their signing algorithm. Issuers with different algorithms must not run at
 * the same time: they would retire each other's signing keys, and create new ones without end.
 */
import { randomUUID } from 'node:crypto';
import { databaseTime } from '../database-clock.js';
import type { Engine } from '../engine.js';
import { storeClosed } from '../store-error.js';

/**
 * Milliseconds after its last heartbeat at which an issuer counts as stopped. Each issuer sends a heartbeat about once
 * a minute.
 */
const SILENT_AFTER = 120_000;

export interface IssuerHeartbeats {
  /**
   * Records that an issuer of this process runs. If an issuer with another algorithm uses the database, it records
   * nothing and returns the other algorithm.
   */
  announceIssuer(algorithm: string): Promise<string | undefined>;
  /** Deletes the records of this process when it stops, so that an issuer with another algorithm can start at once. */
  withdraw(): Promise<void>;
}

export function issuerHeartbeats(engine: Engine): IssuerHeartbeats {
  const ids = new Map<string, string>();
  /** The last announcement. Each one waits for the one before, so that both use the same id. */
  let last: Promise<unknown> = Promise.resolve();
  let isWithdrawn = false;

  function announceIssuer(algorithm: string): Promise<string | undefined> {
    const announced = last.then(() => announce(algorithm));
    last = announced.catch(() => undefined);
    return announced;
  }

  async function announce(algorithm: string): Promise<string | undefined> {
    if (isWithdrawn) throw storeClosed();
    const id = ids.get(algorithm) ?? randomUUID();
    // The id is stored before the commit, because the answer of the commit may be lost.
    ids.set(algorithm, id);
    return await engine.transact(async (tx) => {
      // This statement changes nothing, but locks the row of `feed_head` until the commit. If two issuers start at the
      // same time, the second issuer waits here, and then finds the row of the first issuer.
      await tx
        .updateTable('feed_head')
        .set(({ ref }) => ({ position: ref('position') }))
        .execute();
      const now = await databaseTime(engine, tx);
      await tx
        .deleteFrom('issuers')
        .where('seen_at', '<', now - SILENT_AFTER)
        .execute();
      const found = await tx
        .selectFrom('issuers')
        .select('algorithm')
        .where('algorithm', '!=', algorithm)
        .limit(1)
        .executeTakeFirst();
      if (found !== undefined) return found.algorithm;
      await tx
        .insertInto('issuers')
        .values({ id, algorithm, seen_at: now })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
        .execute();
      return undefined;
    });
  }

  async function withdraw(): Promise<void> {
    isWithdrawn = true;
    await last;
    if (ids.size === 0) return;
    await engine.transact((tx) =>
      tx
        .deleteFrom('issuers')
        .where('id', 'in', [...ids.values()])
        .execute(),
    );
  }

  return { announceIssuer, withdraw };
}
