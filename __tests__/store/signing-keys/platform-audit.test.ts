import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Engine } from '../../../lib/store/engine.js';
import { auditPlatform, type PlatformEvent } from '../../../lib/store/signing-keys/platform-audit.js';
import { openSqlite } from '../../../lib/store/sqlite/engine.js';

const NOW = 1_800_000_000_000;

describe('an audit log entry of the platform', () => {
  let engine: Engine;

  beforeEach(async () => {
    engine = { ...(await openSqlite(':memory:')), now: sql<number>`cast(${NOW} as integer)` };
    await engine.migrate();
  });
  afterEach(() => engine.close());

  const common = { account: '-', at: NOW, outcome: 'done', before: null, origin: null };

  it.each<[string, PlatformEvent, object]>([
    [
      'of an issuer, which has no role',
      { action: 'signing_key.create', subject: 'one', actor: 'issuer', after: { algorithm: 'ES256' } },
      { action: 'signing_key.create', subject: 'one', actor: 'issuer', role: null, after: '{"algorithm":"ES256"}' },
    ],
    [
      'of an operator, without a subject',
      { action: 'encryption_key.rotate', subject: null, actor: 'cli:ada' },
      { action: 'encryption_key.rotate', subject: null, actor: 'cli:ada', role: 'operator', after: null },
    ],
  ])('%s, is stored with the time of the database', async (_whose, event, expected) => {
    await engine.transact((tx) => auditPlatform(engine, tx, event));
    const entries = await engine.lists.selectFrom('audit').selectAll().execute();
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ ...common, ...expected });
  });
});
