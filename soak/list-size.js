/** Lists of keys with their usage: what a page of the Dashboard takes among a million keys with 400 days of usage. */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import Database from 'better-sqlite3';
import express from 'express';
import { createDashboard } from 'keyward/dashboard';
import { createManagement } from 'keyward/management';
import { median, quantile } from './figures.js';
import { now } from './store-clock.js';
import { onPostgres, placesOf } from './store-places.js';
import { openReady } from './store-rows.js';
import { fill } from './store-size.js';

const ROUNDS = 20;
const BOUND_MS = 100;
/** Every key has usage of a few days; one of so many has usage of all days that are kept. */
const [DAYS, BUSY_OF] = [400, 1_000];
const MEMBER = { id: 'soak', account: 'acme', permissions: ['owner'] };

/** A text that one key has is looked for key by key: that has no bound. */
const PAGES = [
  ['newest first', ''],
  ...['created', 'name', '-name', 'used', '-used'].map((sort) => [`sorted by ${sort}`, `sort=${sort}`]),
  ['public keys', 'kind=public'],
  ['a text that half of the keys have', 'text=even'],
  ['a text that one key has', 'text=service+7919+odd', true],
];

/** Fills a store of each engine with so many keys of one account, and loads pages of its list. */
export async function listSize(count) {
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const place = makePlace();
    try {
      await (await openReady(place.url)).close();
      await fill[engine](place, count);
      await addUsage[engine](place, statements(engine));
      figures.push(...(await measured(place)).map(([name, ...rest]) => [`${engine}: ${name}`, ...rest]));
    } finally {
      await place.remove();
    }
  }
  return {
    title: `Lists: pages of 50 of ${count.toLocaleString('en')} keys with ${DAYS} days of usage`,
    figures,
  };
}

/** Gives the keys names, uses and creations that differ, and usage. */
function statements(engine) {
  const number = engine === 'SQLite' ? 'cast(substr(id, 5) as integer)' : 'substr(id, 5)::integer';
  const parity = `case when ${number} % 2 = 0 then 'even' else 'odd' end`;
  // A permutation, so that no order is that of another.
  const name = `'service ' || (cast(${number} as bigint) * 7919 % 1000003) || ' ' || ${parity}`;
  const today = Math.floor(Date.now() / 86_400_000);
  const series =
    engine === 'SQLite'
      ? 'with recursive day(n) as (select 0 union all select n + 1 from day where n < ?)'
      : 'with day(n) as (select generate_series(0, ?))';
  const usage = (days, which) =>
    `insert into usage (key_id, day, accepted, refused) ${series.replace('?', String(days - 1))}
     select id, ${today} - n, 7 * n + 1, n % 3 from keys, day where ${which}`;
  return [
    `update keys set name = ${name}, sort_name = upper(${name}), search_text = upper(${name} || ' ' || id),
       kind = case when ${number} % 3 = 0 then 'public' else 'secret' end,
       created_at = ${number}, used_at = cast(${number} as bigint) * 6101 % 1000003`,
    usage(DAYS, `${number} % ${BUSY_OF} = 0`),
    usage(2, `${number} % ${BUSY_OF} <> 0`),
  ];
}

const addUsage = {
  async SQLite({ file }, texts) {
    const database = new Database(file);
    for (const text of texts) database.exec(text);
    database.exec('analyze');
    database.close();
  },
  async PostgreSQL({ schema }, texts) {
    await onPostgres(async (client) => {
      await client.query(`set search_path to "${schema}"`);
      for (const text of texts) await client.query(text);
      for (const table of ['keys', 'usage']) await client.query(`vacuum analyze ${table}`);
    });
  },
};

async function measured({ url }) {
  const store = await openReady(url);
  const app = express().use(
    '/dashboard',
    createDashboard({ management: createManagement({ store }), memberOf: () => MEMBER }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const figures = [];
  for (const [name, query, isUnbounded] of PAGES) {
    const times = [];
    for (let round = -2; round < (isUnbounded ? 1 : ROUNDS); round += 1) {
      const start = now();
      await load(`http://127.0.0.1:${server.address().port}/dashboard/?limit=50&${query}`);
      if (round >= 0) times.push(now() - start);
    }
    const middle = median(times);
    const held = isUnbounded ? undefined : middle <= BOUND_MS;
    figures.push([name, `median ${middle.toFixed(1)} ms, slowest ${quantile(times, 1).toFixed(1)} ms`, held]);
  }
  server.close();
  server.closeAllConnections();
  await store.close();
  return figures;
}

async function load(url) {
  const [status, body] = await new Promise((resolve, reject) => {
    get(url, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve([response.statusCode, text]));
    }).on('error', reject);
  });
  if (status !== 200 || !body.includes('class="recent"')) throw new Error(`${url} was answered ${status}`);
}
