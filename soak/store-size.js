/** What a cold lookup costs in a store of many keys, beside the same in a small one. */
import Database from 'better-sqlite3';
import { median, quantile } from './figures.js';
import { now } from './store-clock.js';
import { onPostgres, placesOf } from './store-places.js';
import { accountRow, digestOf, keyRow, openReady, secretRow } from './store-rows.js';

const FEW = 1_000;
const ROUNDS = 20;
const LOOKUPS = 1_000;
const BOUND = 1.5;

/** Fills a store of each engine with so many keys, and another with few, and looks keys up in both by turns. */
export async function storeSize(count) {
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const places = [makePlace(), makePlace()];
    try {
      await Promise.all(places.map(({ url }) => openReady(url).then((store) => store.close())));
      await fill[engine](places[0], FEW);
      await fill[engine](places[1], count);
      figures.push(...(await measure(places, [FEW, count])).map(([name, ...rest]) => [`${engine}: ${name}`, ...rest]));
    } finally {
      await Promise.all(places.map((place) => place.remove()));
    }
  }
  return {
    title: `Size: cold lookups among ${count.toLocaleString('en')} keys, beside ${FEW.toLocaleString('en')}`,
    figures,
  };
}

async function measure(places, sizes) {
  const stores = [];
  const opened = [];
  for (const { url } of places) {
    const start = now();
    stores.push(await openReady(url));
    opened.push(now() - start);
  }
  const rounds = [];
  for (let round = -2; round < ROUNDS; round += 1) {
    const times = await lookUp(stores, sizes);
    if (round >= 0) rounds.push(times);
  }
  await Promise.all(stores.map((store) => store.close()));

  const all = stores.map((_, which) => rounds.flatMap((times) => times[which]));
  const texts = all.map((times) => `median ${micro(median(times))}, p99 ${micro(quantile(times, 0.99))}`);
  // Of the same round: a round in which the machine is busy with something else is busy for both.
  const ratio = (share) => median(rounds.map(([few, many]) => quantile(many, share) / quantile(few, share)));
  const [ofMedians, ofP99] = [ratio(0.5), ratio(0.99)];
  return [
    [`${sizes[0].toLocaleString('en')} keys`, `${texts[0]}; opened in ${Math.round(opened[0])} ms`],
    [`${sizes[1].toLocaleString('en')} keys`, `${texts[1]}; opened in ${Math.round(opened[1])} ms`],
    ['ratio of the medians', ofMedians.toFixed(2), ofMedians <= BOUND],
    ['ratio of the p99', ofP99.toFixed(2), ofP99 <= BOUND],
  ];
}

/** One in each store by turns, so that what else the machine does falls on both alike. */
async function lookUp(stores, sizes) {
  const times = stores.map(() => []);
  for (let i = 0; i < LOOKUPS; i += 1) {
    for (const which of i % 2 === 0 ? [0, 1] : [1, 0]) {
      const number = Math.floor(Math.random() * sizes[which]);
      const digest = digestOf(textOf(number));
      const start = now();
      const record = await stores[which].resolveKey({ digest });
      times[which].push(now() - start);
      if (record?.id !== idOf(number)) throw new Error(`found ${record?.id} for ${idOf(number)}`);
    }
  }
  return times;
}

export const textOf = (number) => `soak key ${number}`;
export const idOf = (number) => `key_${number}`;
const micro = (milliseconds) => `${Math.round(milliseconds * 1_000)} \u00B5s`;

/** Fills the store of a place with so many keys of one account. */
export const fill = {
  async SQLite({ file }, count) {
    const database = new Database(file);
    const insert = (table, row) => {
      const names = Object.keys(row);
      return database.prepare(`insert into ${table} (${names}) values (${names.map((name) => `@${name}`)})`);
    };
    const insertKey = insert('keys', keyRow('', ''));
    const insertSecret = insert('secrets', secretRow('', ''));
    database.transaction(() => {
      insert('accounts', accountRow('')).run(accountRow('acme'));
      for (let number = 0; number < count; number += 1) {
        insertKey.run(keyRow(idOf(number), 'acme'));
        insertSecret.run(secretRow(digestOf(textOf(number)), idOf(number)));
      }
    })();
    database.exec('analyze');
    database.close();
  },

  async PostgreSQL({ schema }, count) {
    await onPostgres(async (client) => {
      await client.query(`set search_path to "${schema}"`);
      const insert = async (table, row, changing = {}) => {
        const names = Object.keys(row);
        const values = names.map((name) => changing[name] ?? client.escapeLiteral(String(row[name])));
        const nullable = values.map((value) => (value === "'null'" ? 'null' : value));
        await client.query(
          `insert into ${table} (${names}) select ${nullable} from generate_series(0, ${count - 1}) as number`,
        );
      };
      const id = "'key_' || number";
      const digest = "encode(sha256(convert_to('soak key ' || number, 'UTF8')), 'hex')";
      const names = Object.keys(accountRow(''));
      await client.query(
        `insert into accounts (${names}) values (${names.map((_, i) => `$${i + 1}`)})`,
        Object.values(accountRow('acme')),
      );
      await insert('keys', keyRow('', 'acme'), { id });
      await insert('secrets', secretRow('', ''), { digest, key_id: id });
      await client.query('vacuum analyze keys');
      await client.query('vacuum analyze secrets');
    });
  },
};
