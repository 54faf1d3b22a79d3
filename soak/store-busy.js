/** Lookups beside searches and creations, beside a locked table, and across a failover of PostgreSQL. */
import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { createManagement } from 'keyward/management';
import { openStore } from 'keyward/store';
import { median, quantile } from './figures.js';
import { now, pause } from './store-clock.js';
import { onPostgres, placesOf } from './store-places.js';
import { accountRow, digestOf, openReady } from './store-rows.js';
import { fill, idOf, textOf } from './store-size.js';

const SEARCHERS = 15;
/** A second. */
const CREATIONS = 10;
const LOOKUPS = 100;
/** Milliseconds: what a verifier waits for a lookup, and what a statement may hold the event loop of SQLite. */
const LOOKUP_TIMEOUT = 1_000;
const LONGEST_STATEMENT = 50;
/** Connections of one store to PostgreSQL. */
const CONNECTIONS = 13;
/** Milliseconds until writes succeed after a failover. */
const RECOVERY = 5_000;

export async function storeBusy(count, seconds) {
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const place = makePlace();
    try {
      await openReady(place.url).then((store) => store.close());
      await fill[engine](place, count);
      const found = await besideSearches(place, count, seconds, engine);
      if (engine === 'PostgreSQL') found.push(...(await besideLock(place, seconds)), ...(await acrossFailover(place)));
      figures.push(...found.map(([figure, ...rest]) => [`${engine}: ${figure}`, ...rest]));
    } finally {
      await place.remove();
    }
  }
  const keys = count.toLocaleString('en');
  return { title: `Lookups beside ${SEARCHERS} searches of ${keys} keys, locks and a failover`, figures };
}

async function besideSearches({ url }, count, seconds, engine) {
  const statements = timeStatements();
  const store = await openReady(url);
  const { keys } = createManagement({ store });
  const member = { id: 'soak', account: 'acme', permissions: ['owner', 'developer'] };
  const until = now() + seconds * 1_000;
  statements.clear();
  const [lookups, searches, creations] = await Promise.all([
    repeat(LOOKUPS, until, async () => {
      const number = Math.floor(Math.random() * count);
      const record = await store.resolveKey({ digest: digestOf(textOf(number)) });
      if (record?.id !== idOf(number)) throw new Error('another key was found');
    }),
    Promise.all(Array.from({ length: SEARCHERS }, () => oneAfterAnother(until, () => search(keys, member)))),
    repeat(CREATIONS, until, () => keys.create(member, { kind: 'secret', environment: 'live', apis: ['payments'] })),
  ]);
  const longest = statements.longest();
  statements.restore();
  await store.close();
  const searched = searches.flat();
  const late = lookups.filter(({ failed, took }) => failed || took > LOOKUP_TIMEOUT).length;
  const took = lookups.map((lookup) => lookup.took);
  const lost = [...searched, ...creations].filter(({ failed }) => failed).length;
  const figures = [
    [`lookups failed or over ${LOOKUP_TIMEOUT} ms, of ${lookups.length}`, late, late === 0 && lookups.length > 0],
    ['a lookup', `median ${ms(median(took))}, p99 ${ms(quantile(took, 0.99))}, slowest ${ms(Math.max(...took))}`, true],
    ['a search', `median ${ms(median(searched.map((one) => one.took)))}, of ${searched.length}`, searched.length > 0],
    [`creations and searches that failed, of ${creations.length + searched.length}`, lost, lost === 0],
  ];
  if (engine === 'SQLite') {
    const [word] = longest.text.split(' ');
    figures.push([
      'CPU time of the longest statement',
      `${ms(longest.took)} (${word})`,
      longest.took <= LONGEST_STATEMENT,
    ]);
  }
  return figures;
}

async function search(keys, member) {
  const { items } = await keys.list(member, { text: 'nowhere' });
  if (items.length > 0) throw new Error('something was found');
}

/** Every table of lookups is locked while they go on. */
async function besideLock({ url, schema }, seconds) {
  const application = `busy_${randomBytes(6).toString('hex')}`;
  const own = new URL(url);
  own.searchParams.set('application_name', application);
  const store = await openReady(own.href);
  const backends = [];
  let answered = [];
  await onPostgres(async (locker) => {
    await locker.query(`begin; lock table "${schema}".keys in access exclusive mode`);
    const until = now() + seconds * 1_000;
    const counting = onPostgres(async (client) => {
      while (now() < until) {
        const text = 'select count(*)::int as count from pg_stat_activity where application_name = $1';
        backends.push((await client.query(text, [application])).rows[0].count);
        await pause(50);
      }
    });
    answered = await repeat(LOOKUPS, until, () => store.resolveKey({ digest: digestOf(String(Math.random())) }));
    await counting;
    await locker.query('rollback');
  });
  const start = now();
  await untilDone(() => store.resolveKey({ digest: digestOf(textOf(0)) }));
  const recovered = now() - start;
  await store.close();
  const most = Math.max(...backends);
  const through = answered.filter(({ failed }) => !failed).length;
  return [
    [`keys locked for ${seconds} s: most backends, of ${answered.length} lookups`, most, most <= CONNECTIONS],
    ['keys locked: lookups that were answered', through, through === 0],
    ['keys locked: a lookup succeeds after the lock', ms(recovered), recovered <= RECOVERY],
  ];
}

/** The connections of the store were opened while the server was read-only. */
async function acrossFailover({ url }) {
  const role = `role_${randomBytes(6).toString('hex')}`;
  await onPostgres(async (client) => {
    await client.query(`create role ${role} superuser login password 'none'`);
    await client.query(`alter role ${role} set default_transaction_read_only = on`);
  });
  const asRole = new URL(url);
  Object.assign(asRole, { username: role, password: 'none' });
  const store = await openStore(asRole.href);
  const write = () => store.repository.transact((tx) => tx.insertAccount(accountRow(`account_${Math.random()}`)));
  try {
    await Promise.all(Array.from({ length: 20 }, () => store.repository.account('acme')));
    const refused = await write().then(
      () => 'no',
      () => 'yes',
    );
    const before = await store.ready();
    await onPostgres((client) => client.query(`alter role ${role} reset default_transaction_read_only`));
    const start = now();
    await untilDone(write);
    const recovered = now() - start;
    const after = await store.ready();
    return [
      ['read-only: writes are refused', refused, refused === 'yes'],
      ['read-only: ready() before and after', `${before}, ${after}`, !before && after],
      ['read-only: a write succeeds after the end', ms(recovered), recovered <= RECOVERY],
    ];
  } finally {
    await store.close();
    await onPostgres((client) => client.query(`drop role ${role}`));
  }
}

/** Starts work so many times a second, whether the last has ended or not; how each ended. */
async function repeat(rate, until, work) {
  const ended = [];
  const start = now();
  for (let i = 0; now() < until; i += 1) {
    ended.push(timed(work));
    await pause(Math.max(0, start + ((i + 1) * 1_000) / rate - now()));
  }
  return await Promise.all(ended);
}

async function oneAfterAnother(until, work) {
  const ended = [];
  while (now() < until) ended.push(await timed(work));
  return ended;
}

async function timed(work) {
  const start = now();
  const failed = await Promise.resolve()
    .then(work)
    .then(
      () => false,
      () => true,
    );
  return { failed, took: now() - start };
}

async function untilDone(work) {
  for (const start = now(); now() - start < 2 * RECOVERY; await pause(20)) if (!(await timed(work)).failed) return;
}

/** Measures the CPU time of each statement of SQLite in this process: other processes take none of it. */
function timeStatements() {
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('select 1'));
  const originals = { all: statement.all, run: statement.run };
  let times = [];
  for (const [name, original] of Object.entries(originals)) {
    statement[name] = function timedStatement(...parameters) {
      const start = process.cpuUsage();
      try {
        return original.apply(this, parameters);
      } finally {
        const { user, system } = process.cpuUsage(start);
        times.push({ took: (user + system) / 1_000, text: this.source });
      }
    };
  }
  return {
    clear() {
      times = [];
    },
    longest: () => times.reduce((longest, time) => (time.took > longest.took ? time : longest), { took: 0, text: '' }),
    restore: () => Object.assign(statement, originals),
  };
}

const ms = (milliseconds) => `${milliseconds.toFixed(1)} ms`;
