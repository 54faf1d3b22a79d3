/** F02: PostgreSQL goes away under load, and comes back. */
import { strangers } from './keys.js';
import { now, pause } from './store-clock.js';
import { load, present, startInstance } from './store-fleet.js';
import { placesOf } from './store-places.js';
import { postgresProxy } from './store-proxy.js';
import { seedKeys } from './store-rows.js';

/** Milliseconds; short of what an outage lasts. */
const STALE_IF_ERROR = 6_000;
/** Milliseconds between the last word of the feed and the cut, at most; and what an answer takes on a busy machine. */
const LAST_WORD = 1_000;
const RECOVERY = 5_000;
const BEFORE = 3_000;
const AFTER = 8_000;

const SERVERS = 2;
/** Requests a second. */
const RATE = 200;
const [WARM, COLD, DOOMED] = [100, 2_000, 10];

/** Cuts two servers off for so many seconds: by a server that is stopped, and by a network that drops every packet. */
export async function storeOutage(seconds) {
  const figures = [];
  for (const [name, cut] of [
    ['stopped', (proxy) => proxy.refuse()],
    ['silent', (proxy) => proxy.drop()],
  ]) {
    const found = await outage(cut, seconds * 1_000);
    figures.push(...found.map(([figure, ...rest]) => [`${name}: ${figure}`, ...rest]));
  }
  return { title: `Outage: PostgreSQL out of reach for ${seconds} seconds at ${RATE} requests a second`, figures };
}

async function outage(cut, lasts) {
  const place = placesOf.PostgreSQL();
  const proxy = await postgresProxy(place.url);
  try {
    const keys = await seedKeys(place.url, WARM + COLD + DOOMED);
    const writer = await startInstance(place.url);
    const servers = await Promise.all(
      Array.from({ length: SERVERS }, () => startInstance(proxy.url, { staleIfError: STALE_IF_ERROR })),
    );
    const log = await watchOutage({ servers, writer, proxy, keys, cut, lasts });
    await Promise.all([writer, ...servers].map((instance) => instance.stop()));
    return judge(log);
  } finally {
    proxy.close();
    await place.remove();
  }
}

async function watchOutage({ servers, writer, proxy, keys, cut, lasts }) {
  const [warm, doomed, cold] = [keys.slice(0, WARM), keys.slice(WARM, WARM + DOOMED), keys.slice(WARM + DOOMED)];
  const answers = [];
  async function ask(kind, server, key) {
    const asked = now();
    const status = await present(server, key);
    answers.push({ kind, status, asked, answered: now() });
  }
  for (const { text } of [...warm, ...doomed]) for (const server of servers) await present(server, text);

  const stranger = strangers();
  const endLoad = load(RATE, (i) => {
    const server = servers[i % servers.length];
    const turn = Math.floor(i / servers.length);
    if (turn % 20 === 0) return ask('stranger', server, stranger());
    if (turn % 20 === 1) return ask('cold', server, cold[i % cold.length].text);
    if (turn % 20 === 2) return ask('revoked', server, doomed[i % doomed.length].text);
    return ask('warm', server, warm[i % warm.length].text);
  });
  await pause(BEFORE);
  const cutAt = now();
  cut(proxy);
  await pause(lasts / 2);
  // By a process that still reaches the database: the others cannot hear of it.
  for (const { id } of doomed) await writer.revoke(id);
  const ready = await Promise.all(servers.map((server) => present(server, undefined, '/ready')));
  await pause(lasts / 2);
  const backAt = now();
  await proxy.heal();
  await pause(AFTER);
  const readyAgain = await Promise.all(servers.map((server) => present(server, undefined, '/ready')));
  await endLoad();
  return { answers, cutAt, backAt, ready, readyAgain };
}

function judge({ answers, cutAt, backAt, ready, readyAgain }) {
  const staleAt = cutAt + STALE_IF_ERROR;
  const during = answers.filter(({ asked, answered }) => asked > cutAt && answered < backAt);
  const of = (kind, list = during) => list.filter((answer) => answer.kind === kind);
  const others = (list, ...right) => list.filter(({ status }) => !right.includes(status)).length;

  const stillWarm = of('warm').filter(({ answered }) => answered < staleAt - LAST_WORD);
  const stale = of('warm').filter(({ asked }) => asked > staleAt);
  const wrong401 = answers.filter(({ kind, status }) => status === 401 && (kind === 'warm' || kind === 'cold')).length;
  const faults = others(answers, 200, 401, 503);
  const afterwards = answers.filter(({ asked }) => asked > backAt);
  const unavailable = afterwards.filter(({ status }) => status === 503);
  const recovered = Math.max(0, ...unavailable.map(({ asked }) => asked - backAt));
  const revived = of('revoked', afterwards).filter(({ status }) => status === 200).length;
  const slowest = Math.max(...answers.map(({ asked, answered }) => answered - asked));
  return [
    [`warm, until staleIfError: other than 200, of ${stillWarm.length}`, others(stillWarm, 200), clean(stillWarm, 200)],
    [`warm, afterwards: other than 503, of ${stale.length}`, others(stale, 503), clean(stale, 503)],
    ...['cold', 'stranger'].map((kind) => {
      const asked = of(kind).filter((answer) => answer.asked > cutAt + LAST_WORD);
      return [`${kind}: other than 503, of ${asked.length}`, others(asked, 503), clean(asked, 503)];
    }),
    ['good keys answered with 401', wrong401, wrong401 === 0],
    ['answers other than 200, 401 and 503', faults, faults === 0],
    ['revoked meanwhile, and accepted after the return', revived, revived === 0],
    ['servers that said they were ready', count(ready, 204), count(ready, 204) === 0],
    ['servers ready again, without a restart', count(readyAgain, 204), count(readyAgain, 204) === SERVERS],
    ['last 503 after the return', `${Math.round(recovered)} ms`, recovered <= RECOVERY],
    ['slowest answer', `${Math.round(slowest)} ms`],
  ];

  function clean(list, status) {
    return list.length > 0 && others(list, status) === 0;
  }
}

function count(list, value) {
  return list.filter((item) => item === value).length;
}
