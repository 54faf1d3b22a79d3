/**
 * `npm run bench:dashboard`: what a page of the Dashboard costs where an account has many keys, beside the same page where
 * it has few, on each store. Prints the figures, and exits 1 when a bound is missed. It needs KEYWARD_TEST_POSTGRES, the URL
 * of a server to make schemas on.
 */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { parseArgs } from 'node:util';
import express from 'express';
import { createDashboard } from 'keyward/dashboard';
import { createManagement } from 'keyward/management';
import { median } from '../soak/figures.js';
import { now } from '../soak/store-clock.js';
import { onPostgres, placesOf } from '../soak/store-places.js';
import { accountRow, digestOf, keyRow, openReady, secretRow } from '../soak/store-rows.js';

const { values } = parseArgs({
  options: { keys: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '200' } },
});
const FEW = 100;
const MANY = Number(values.keys);
const ROUNDS = Number(values.rounds);
const WARM_UP = 20;
const BOUND = 3;
/** Bytes of a page with all that it loads. */
const HEAVIEST = 100_000;

const ACCOUNT = 'acme';
const MEMBER = { id: 'bench', account: ACCOUNT, permissions: ['owner'] };
const PER_TRANSACTION = 500;

/** The first page of 50, what its link "Next page" leads to, and filters. A text is looked for key by key: that has no bound. */
const PAGES = [
  { name: 'the first page of 50', path: '/?limit=50', bound: BOUND },
  { name: 'the page behind it', path: '/?limit=50', isNext: true, bound: BOUND },
  { name: 'secret keys alone', path: '/?limit=50&kind=secret', bound: BOUND },
  { name: 'a text that half of the keys have', path: '/?limit=50&text=even' },
  { name: 'a text that one key has', path: '/?limit=50&text=service+00077' },
];

for (const [engine, makePlace] of Object.entries(placesOf)) {
  const sites = [await siteOf(makePlace(), FEW), await siteOf(makePlace(), MANY)];
  try {
    process.stdout.write(`${engine}\n`);
    for (const page of PAGES) report(await compare(page, sites));
    report(await weigh(await load(sites[1], PAGES[0].path)));
  } finally {
    for (const site of sites) await site.close();
  }
}

/** A Dashboard over a store of so many keys. */
async function siteOf(place, count) {
  const store = await openReady(place.url);
  await fill(store, count);
  // What autovacuum does by itself, within a minute of so many rows.
  if (place.schema !== undefined) {
    await onPostgres((client) => client.query(`set search_path to "${place.schema}"; analyze`));
  }
  const app = express();
  app.use('/dashboard', createDashboard({ management: createManagement({ store }), memberOf: () => MEMBER }));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  async function close() {
    server.close();
    server.closeAllConnections();
    await store.close();
    await place.remove();
  }
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

/** Keys of a minute each, every third of them public. */
async function fill(store, count) {
  const rowOf = (number) => ({
    ...keyRow(
      `key_${digestOf(`id ${number}`).slice(0, 26)}`,
      ACCOUNT,
      `service ${String(number).padStart(6, '0')} ${number % 2 ? 'odd' : 'even'}`,
    ),
    ...{ created_at: number * 60_000, kind: number % 3 === 0 ? 'public' : 'secret', apis: '["payments","disputes"]' },
  });
  await store.repository.transact((tx) => tx.insertAccount(accountRow(ACCOUNT)));
  for (let first = 0; first < count; first += PER_TRANSACTION) {
    await store.repository.transact(async (tx) => {
      for (let number = first; number < Math.min(count, first + PER_TRANSACTION); number += 1) {
        const row = rowOf(number);
        await tx.insertKey(row, [secretRow(digestOf(row.id), row.id)]);
      }
    });
  }
}

/** Asks both by turns: a round in which the machine is busy with something else is busy for both. */
async function compare({ name, path, isNext = false, bound }, sites) {
  const paths = await Promise.all(sites.map((site) => (isNext ? nextOf(site, path) : path)));
  const rounds = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const times = [];
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const begin = now();
      await load(sites[at], paths[at]);
      times[at] = now() - begin;
    }
    if (round >= 0) rounds.push(times);
  }
  const [few, many] = [0, 1].map((at) => `${median(rounds.map((times) => times[at])).toFixed(1)} ms`);
  const ratio = median(rounds.map(([one, other]) => other / one));
  const limit = bound === undefined ? 'no bound' : `at most ${bound}`;
  return [
    bound === undefined || ratio <= bound,
    `${name}: ${few} of ${FEW} keys, ${many} of ${MANY}; ${ratio.toFixed(2)} times (${limit})`,
  ];
}

async function nextOf(site, path) {
  const { body } = await load(site, path);
  const [, next] = /<a rel="next" href="\/dashboard([^"]+)"/.exec(body) ?? [];
  if (next === undefined) throw new Error('there is no next page');
  return next.replaceAll('&amp;', '&');
}

/** Bytes as they are sent, without their headers. */
async function load({ origin }, path) {
  const { status, body } = await ask(`${origin}/dashboard${path}`);
  if (status !== 200) throw new Error(`${path} was answered ${status}`);
  return { origin, body };
}

async function weigh(page) {
  const { origin, body } = page;
  const paths = [...body.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, path]) => path);
  const assets = await Promise.all(paths.map((path) => ask(origin + path)));
  const bytes = [body, ...assets.map((asset) => asset.body)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return [
    bytes <= HEAVIEST,
    `with ${assets.length} assets it has ${Math.round(bytes / 1_000)} kB (at most ${HEAVIEST / 1_000} kB)`,
  ];
}

function ask(url) {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    }).on('error', reject);
  });
}

function report([held, text]) {
  process.stdout.write(`  ${held ? 'ok    ' : 'MISSED'} ${text}\n`);
  if (!held) process.exitCode = 1;
}
