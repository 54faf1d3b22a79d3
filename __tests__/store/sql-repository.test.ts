import { expect, it } from '@jest/globals';
import { Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { sqlRepository } from '../../lib/store/repository/sql-repository.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';

it('a change is notified after its commit, because a cache could otherwise read and keep the old record', async () => {
  const database = await openSqlite(':memory:');
  await database.migrate();
  const steps: string[] = [];
  const engine: Engine = {
    ...database,
    async transact(work) {
      const result = await database.transact(work);
      steps.push('committed');
      return result;
    },
  };
  const feed = Object.assign(new Feed(engine), { notify: () => void steps.push('notified') });
  try {
    await sqlRepository(engine, feed).transact(async (tx) => tx.notify({ account: 'acme' }));
    expect(steps).toEqual(['committed', 'notified']);
  } finally {
    await database.close();
  }
});
