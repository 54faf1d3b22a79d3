import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Change } from '../../lib/contracts/change-feed.js';
import { Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import type { Repository } from '../../lib/store/repository/repository.js';
import { sqlRepository } from '../../lib/store/repository/sql-repository.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { addUsage } from '../../lib/store/usage/usage-queries.js';
import { accountRow, keyRow } from '../support/stored-rows.js';

let database: Engine;
beforeEach(async () => {
  database = await openSqlite(':memory:');
  await database.migrate();
});
afterEach(() => database.close());

/** A repository on the database, and what happens in it. */
function recorded() {
  const steps: string[] = [];
  const notified: Change[] = [];
  const engine: Engine = {
    ...database,
    async transact(work) {
      const result = await database.transact(work);
      steps.push('committed');
      return result;
    },
    async analyze() {
      steps.push('analyzed');
    },
  };
  const notify = (change: Change) => {
    steps.push('notified');
    notified.push(change);
  };
  const repository: Repository = sqlRepository(engine, Object.assign(new Feed(engine), { notify }));
  return { repository, steps, notified };
}

it('a change is notified after its commit, because a cache could otherwise read and keep the old record', async () => {
  const { repository, steps, notified } = recorded();
  await repository.transact(async (tx) => tx.notify({ account: 'acme' }));
  expect([steps, notified]).toEqual([['committed', 'notified'], [{ account: 'acme' }]]);
});

it('a change of this process only is notified even if the transaction fails', async () => {
  const { repository, steps, notified } = recorded();
  const failed = repository.transact(async (tx) => {
    tx.invalidateLocally({ account: 'acme' });
    throw new Error('own');
  });
  await expect(failed).rejects.toThrow('own');
  expect([steps, notified]).toEqual([['notified'], [{ account: 'acme' }]]);
});

it('the statistics of the planner are updated by the engine', async () => {
  const { repository, steps } = recorded();
  await repository.analyze();
  expect(steps).toEqual(['analyzed']);
});

it('the requests of a key are read by day and as a total', async () => {
  const { repository } = recorded();
  await repository.transact(async (tx) => {
    await tx.insertAccount(accountRow());
    await tx.insertKey(keyRow({ id: 'key_1' }), []);
  });
  const days = [7, 8, 9].map((day) => ({ key_id: 'key_1', day, accepted: day, refused: 1 }));
  await database.transact((db) => addUsage(db, days));
  expect(await repository.usage('key_1', 8, 8)).toEqual([{ key_id: 'key_1', day: 8, accepted: 8, refused: 1 }]);
  const counted = { account: 'acme', environment: undefined, ids: ['key_1'] };
  expect(await repository.usageTotals(counted, 8)).toEqual([{ key_id: 'key_1', accepted: 17, refused: 2 }]);
});
