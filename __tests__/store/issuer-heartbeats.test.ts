import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Engine } from '../../lib/store/engine.js';
import { issuerHeartbeats } from '../../lib/store/signing-keys/issuer-heartbeats.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';

it('issuers that started at the same time, or while the store is being closed, leave no record', async () => {
  const engine = await openSqlite(':memory:');
  await engine.migrate();
  const [closed, other] = [issuerHeartbeats(engine), issuerHeartbeats(engine)];
  expect(await Promise.all([closed.announceIssuer('RS256'), closed.announceIssuer('RS256')])).toEqual([
    ...[undefined, undefined],
  ]);
  const pending = closed.announceIssuer('RS256');
  await new Promise(process.nextTick);
  await closed.withdraw();
  expect(await pending).toBeUndefined();
  await expect(closed.announceIssuer('RS256')).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await other.announceIssuer('ES256')).toBeUndefined();
  await engine.close();
});

it('an issuer leaves no record if the answer of a commit was lost', async () => {
  const database = await openSqlite(':memory:');
  await database.migrate();
  let isLost = true;
  const engine: Engine = {
    ...database,
    transact: async (work) => {
      const result = await database.transact(work);
      if (isLost) throw new Error('the connection was closed');
      return result;
    },
  };
  const heartbeats = issuerHeartbeats(engine);
  await expect(heartbeats.announceIssuer('RS256')).rejects.toThrow('the connection was closed');
  isLost = false;
  await heartbeats.withdraw();
  expect(await database.lookups.selectFrom('issuers').selectAll().execute()).toEqual([]);
  await database.close();
});

it('an issuer that sends heartbeats runs; two minutes after the last one, another algorithm may start', async () => {
  const database = await openSqlite(':memory:');
  await database.migrate();
  let now = 0;
  const engine = {
    ...database,
    get now() {
      return sql<number>`${now}`;
    },
  };
  const [running, other] = [issuerHeartbeats(engine), issuerHeartbeats(engine)];
  for (now = 0; now <= 240_000; now += 60_000) expect(await running.announceIssuer('RS256')).toBeUndefined();
  now = 360_000;
  expect(await other.announceIssuer('ES256')).toBe('RS256');
  now += 1;
  expect(await other.announceIssuer('ES256')).toBeUndefined();
  await database.close();
});
