/** Revoked tokens: lookups of an access key that has very many of them, and revocations whose process is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { heapAfterGc, median, megabytes } from './figures.js';
import { now, pause } from './store-clock.js';
import { onPostgres, placesOf } from './store-places.js';
import { isWholeFeed } from './store-row-model.js';
import { accountRow, digestOf, keyRow, openReady, secretRow } from './store-rows.js';

const WRITER = fileURLToPath(new URL('revocation-writer.js', import.meta.url));
/** Milliseconds from the first revocation to the end, at most. */
const KILL_WITHIN = 250;
const KEYS = ['ack_one', 'ack_two', 'ack_three', 'ack_four'];
const [LOOKUPS, BOUND] = [2_000, 1.2];
/** Bytes of memory for one revoked token, at most. */
const MAX_BYTES = 400;

/** Looks up an access key with so many revoked tokens beside one with none, on each engine; then kills so many processes. */
export async function revokedTokens(count, kills) {
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const place = makePlace();
    try {
      await seed(place.url);
      const found = [...(await lookups(engine, place, count)), ...(await crashes(place, kills))];
      figures.push(...found.map(([name, ...rest]) => [`${engine}: ${name}`, ...rest]));
    } finally {
      await place.remove();
    }
  }
  const [tokens, processes] = [count, kills].map((number) => number.toLocaleString('en'));
  return { title: `Revoked tokens: ${tokens} of one access key, and ${processes} processes that are killed`, figures };
}

async function seed(url) {
  const store = await openReady(url);
  await store.repository.transact(async (tx) => {
    await tx.insertAccount(accountRow('acme'));
    for (const id of [...KEYS, 'ack_many', 'ack_none']) {
      const row = { ...keyRow(id, 'acme'), kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' };
      await tx.insertKey(row, [secretRow(digestOf(id), id)]);
    }
  });
  await store.close();
}

/** Looks up both by turns, so that what else the machine does falls on both alike. */
async function lookups(engine, place, count) {
  await fillTokens[engine](place, count);
  const store = await openReady(place.url);
  const before = heapAfterGc();
  const start = now();
  const { revokedTokens: read } = await store.resolveAccessKey('ack_many');
  const first = now() - start;
  const heap = heapAfterGc() - before;
  if (read.size !== count) throw new Error(`${read.size} revoked tokens were read`);
  const times = { ack_many: [], ack_none: [] };
  for (let turn = -100; turn < LOOKUPS; turn += 1) {
    for (const id of turn % 2 === 0 ? ['ack_many', 'ack_none'] : ['ack_none', 'ack_many']) {
      const begin = now();
      await store.resolveAccessKey(id);
      if (turn >= 0) times[id].push(now() - begin);
    }
  }
  await store.close();
  const [many, none] = [median(times.ack_many), median(times.ack_none)];
  return [
    ['a lookup, without and with revoked tokens', `${micro(none)} and ${micro(many)}`],
    ['ratio of the medians', (many / none).toFixed(2), many / none <= BOUND],
    ['the first lookup, which reads all of them', `${first.toFixed(0)} ms`],
    ['memory of them', `${megabytes(heap)} MB`, heap <= count * MAX_BYTES],
  ];
}

const fillTokens = {
  async SQLite({ file }, count) {
    const database = new Database(file);
    database.exec(
      `with recursive series(n) as (select 1 union all select n + 1 from series where n < ${count})
       ${insertion("printf('%036d', n)")}`,
    );
    database.exec(countOf(count));
    database.close();
  },
  async PostgreSQL({ schema }, count) {
    await onPostgres(async (client) => {
      await client.query(`set search_path to "${schema}"`);
      await client.query(
        `with series as (select generate_series(1, ${count}) as n) ${insertion("lpad(n::text, 36, '0')")}`,
      );
      await client.query(countOf(count));
      await client.query('vacuum analyze revoked_tokens');
    });
  },
};

const insertion = (jti) =>
  `insert into revoked_tokens (key_id, jti, number, expires_at)
   select 'ack_many', ${jti}, n, ${Date.now() + 3_600_000} from series`;
const countOf = (count) => `update keys set tokens_revoked = ${count} where id = 'ack_many'`;

async function crashes(place, kills) {
  const acknowledged = [];
  let brokenFeeds = 0;
  for (let run = 0; run < kills; run += 1) {
    acknowledged.push(...(await runAndKill(place.url)));
    await (await openReady(place.url)).close();
    if (!(await place.inspect(isWholeFeed))) brokenFeeds += 1;
  }
  const { lost, miscounted } = await place.inspect(async (select) => {
    const known = new Set((await select('select jti from revoked_tokens')).map(({ jti }) => jti));
    const counts = await select(
      `select keys.id from keys left join revoked_tokens on key_id = keys.id where kind = 'access'
       group by keys.id, tokens_revoked having tokens_revoked <> count(jti) or tokens_revoked <> coalesce(max(number), 0)`,
    );
    return { lost: acknowledged.filter((jti) => !known.has(jti)).length, miscounted: counts.length };
  });
  return [
    ['revocations acknowledged', acknowledged.length, acknowledged.length > 0],
    ['acknowledged and lost', lost, lost === 0],
    ['access keys whose revocations are not numbered without a gap', miscounted, miscounted === 0],
    ['feeds with a gap', brokenFeeds, brokenFeeds === 0],
  ];
}

/** Returns the tokens whose revocation was acknowledged before the end. */
async function runAndKill(url) {
  const writer = spawn(process.execPath, [WRITER, url, ...KEYS], { stdio: ['ignore', 'pipe', 'inherit'] });
  const done = [];
  const lines = createInterface({ input: writer.stdout });
  const closed = once(lines, 'close');
  const exited = once(writer, 'exit');
  lines.on('line', (line) => {
    const [, jti] = /"done":"([^"]+)"}$/.exec(line) ?? [];
    if (jti !== undefined) done.push(jti);
  });
  await Promise.race([once(lines, 'line'), exited]);
  await pause(Math.random() * KILL_WITHIN);
  writer.kill('SIGKILL');
  const [code, signal] = await exited;
  await closed;
  if (signal !== 'SIGKILL') throw new Error(`a writer ended by itself, with code ${code}`);
  return done;
}

const micro = (milliseconds) => `${Math.round(milliseconds * 1_000)} \u00B5s`;
