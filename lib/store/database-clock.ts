/** Reads the clock of the database, because the clocks of the processes may differ. */
import type { Kysely } from 'kysely';
import type { Engine } from './engine.js';
import type { Tables } from './tables.js';

/** Returns the time of the database in milliseconds since 1970. */
export async function databaseTime(engine: Engine, db: Kysely<Tables>): Promise<number> {
  return (await db.selectNoFrom(engine.now.as('now')).executeTakeFirstOrThrow()).now;
}
