/** Fails where a server is missing that the tests are to have: a run that leaves them out proves less than it says. */
import pg from 'pg';
import { createClient } from 'redis';

const client = new pg.Client({ connectionString: process.env.KEYWARD_TEST_POSTGRES, connectionTimeoutMillis: 5_000 });
await client.connect();
const { rows } = await client.query('show server_version');
await client.end();
console.log(`PostgreSQL ${rows[0].server_version} is there`);

const redis = createClient({
  url: process.env.KEYWARD_TEST_REDIS,
  socket: { connectTimeout: 5_000, reconnectStrategy: false },
});
await redis.connect();
const [, version] = /redis_version:(\S+)/.exec(await redis.info('server')) ?? [];
redis.destroy();
console.log(`Redis ${version} is there`);
