/** Fails where a server is missing that the tests are to have: a run that leaves them out proves less than it says. */
import pg from 'pg';

const client = new pg.Client({ connectionString: process.env.KEYWARD_TEST_POSTGRES, connectionTimeoutMillis: 5_000 });
await client.connect();
const { rows } = await client.query('show server_version');
await client.end();
console.log(`PostgreSQL ${rows[0].server_version} is there`);
