import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { listenOnPostgres } from '../../lib/store/postgres/listen-notify.js';
import { clientConfig } from '../../lib/store/postgres/pool.js';
import { onDatabase } from '../support/store-database.js';
import { eventually } from '../support/store-wait.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

onServer('listening on PostgreSQL', () => {
  it('wakes the poll once when it begins, because earlier notifications were not received', async () => {
    const url = POSTGRES ?? '';
    let wakes = 0;
    const stop = listenOnPostgres({
      config: clientConfig(url, { connectTimeout: 1_000, statementTimeout: 3_000 }),
      channel: `keyward_test_${randomBytes(6).toString('hex')}`,
      sendNotification: (name) => onDatabase(url, `select pg_notify('${name}', '')`),
      wake: () => {
        wakes += 1;
      },
    });
    await eventually(() => wakes > 0, 10_000);
    expect(wakes).toBe(1);
    stop();
  });
});
