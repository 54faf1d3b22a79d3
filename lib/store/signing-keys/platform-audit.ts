/** Writes audit log entries that concern the whole platform, not one account. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { databaseTime } from '../database-clock.js';
import type { Engine } from '../engine.js';
import type { Tables } from '../tables.js';

/** The account id of the entries that concern the platform. No account can have this id. */
export const PLATFORM = '-';

/** The actor of operations that no person requested, such as a scheduled key rotation. */
export const ISSUER = 'issuer';

export interface PlatformEvent {
  readonly action: string;
  readonly subject: string | null;
  readonly actor: string;
  readonly after?: object;
}

/** Writes an entry in the same transaction as the change, so that neither is stored without the other. */
export async function auditPlatform(
  engine: Engine,
  tx: Transaction<Tables>,
  { action, subject, actor, after }: PlatformEvent,
): Promise<void> {
  const at = await databaseTime(engine, tx);
  const role = actor === ISSUER ? null : 'operator';
  const changes = { before: null, after: after === undefined ? null : JSON.stringify(after) };
  await tx
    .insertInto('audit')
    .values({
      id: randomUUID(),
      at,
      account: PLATFORM,
      actor,
      role,
      action,
      outcome: 'done',
      subject,
      ...changes,
      origin: null,
    })
    .execute();
}
