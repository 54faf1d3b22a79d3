/**
 * Records which issuers run on a database, so that an issuer with another algorithm does not start. Two issuers with
 * different algorithms would create signing keys in turn, without end.
 */
import { randomUUID } from 'node:crypto';
import { databaseTime } from '../database-clock.js';
import type { Engine } from '../engine.js';

/**
 * Milliseconds after its last heartbeat at which an issuer counts as stopped. Each issuer sends a heartbeat about once
 * a minute.
 */
const SILENT_AFTER = 120_000;

export interface IssuerHeartbeats {
  /**
   * Records that an issuer of this process runs. If an issuer with another algorithm runs on the database, it records
   * nothing and returns the other algorithm.
   */
  announceIssuer(algorithm: string): Promise<string | undefined>;
  /** Removes the issuers of this process, so that an issuer with another algorithm can start immediately. */
  withdraw(): Promise<void>;
}

export function issuerHeartbeats(engine: Engine): IssuerHeartbeats {
  const ids = new Map<string, string>();

  async function announceIssuer(algorithm: string): Promise<string | undefined> {
    const id = ids.get(algorithm) ?? randomUUID();
    const other = await engine.transact(async (tx) => {
      // This statement takes the lock that every writer needs. If two issuers start at the same time, the second one
      // waits here, and then sees the row of the first one.
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
    if (other === undefined) ids.set(algorithm, id);
    return other;
  }

  async function withdraw(): Promise<void> {
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
