/** Whole HTTP requests through Express, for 1,000 credentials that were met before. */
import { readFileSync } from 'node:fs';
import { atLeast, atMost } from '../measure/bounds.js';
import { getWith, openConnection } from '../measure/connection.js';
import { start, withProcesses } from '../measure/processes.js';
import { inParts, inRounds } from '../measure/rounds.js';
import { quantile, ratioOf, summaryOf } from '../measure/statistics.js';
import { digits, spread, table } from '../report/text.js';
import { CAPACITY, titlesOf } from './calls.js';

const ALGORITHM = 'RS256';
const CONNECTIONS = 8;
/**
 * Requests that each server gets right after its start, which are not counted. If its heap was collected a few times before its
 * first requests, V8 on Node 20 may compile `process.nextTick` to code that costs 2 to 3 µs more in each request, for as long as
 * the process lives.
 */
const STARTING = 5_000;
/** Requests that are not counted, at the beginning of each turn: the processor's caches hold the code of the others. */
const RESUMING = 2_000;
/**
 * Requests that one figure of a round takes: each credential fifteen times. It holds some five full garbage collections, so that one
 * more or less is not the difference between two servers: with 5,000 requests, ratios of single rounds differed by 5.5 % (standard
 * deviation), with 15,000 by 3.3 %. Packages that have no bound get fewer, because some verify a signature for each.
 */
const REQUESTS = 15_000;
const REQUESTS_WITHOUT_BOUND = 5_000;
/**
 * Numbers, 8 bytes each, that a server holds, as much as a service of usual size. Without them, V8 collects the 7 MB of the ideal
 * twice as often as the 12 MB of a server with a cache for 100,000 entries, and scavenges of Node 20 take longer the longer ago that was:
 * 4.9 and 5.4 ms. With them, both servers are collected equally often, and scavenges take 7.2 and 7.0 ms.
 */
const OWN_DATA = 4_000_000;
/** Part of the rounds to warm up that other suites have: a turn is long. */
const SHORTER = 0.5;
/** Requests for each second of CPU, and p99, beside the ideal's of the same round. */
const TIMES_IDEAL = 0.95;
const TIMES_IDEAL_P99 = 1.25;
/** Processes of each server. */
const PROCESSES = 6;
const PROGRAM = new URL('../processes/serve.js', import.meta.url);

const BARE = { name: 'bare', subject: 'nothing', kind: 'token' };
/**
 * Servers that run at the same time, and take turns. They are few, because a server must not rest for long: after 8 seconds V8 begins
 * to collect its heap. The hidden classes of requests are gone then, and so is the code that was compiled for them. What it
 * is compiled to the second time differs: a request cost 2 to 10 µs more, for as long as the process lived.
 */
const GROUPS = {
  tokens: [BARE, ...['ideal', 'keyward-token', 'keyward-four-guards'].map(server('token'))],
  keys: [BARE, ...['ideal', 'keyward-key', 'keyward-four-guards'].map(server('key'))],
  others: [
    ...[BARE, { ...BARE, name: 'bare, a second copy' }],
    ...['fast-jwt', 'passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'].map(server('token')),
    server('key')('passport-http-bearer'),
  ],
};
/** Servers whose requests are the app's from the start. */
const PREPARED = {
  'tokens, prepared': GROUPS.tokens.slice(0, 3).map(prepared),
  'keys, prepared': GROUPS.keys.slice(0, 3).map(prepared),
};

function server(kind) {
  return (subject) => ({ name: `${kind} ${subject}`, subject, kind });
}

function prepared(one) {
  return { ...one, server: 'prepared' };
}

export async function http({ issuer, folder, rounds: { rounds: counted, warmUp } }) {
  const rounds = { rounds: counted, warmUp: Math.ceil(warmUp * SHORTER) };
  const files = { token: folder.tokens(issuer, ALGORITHM, { warm: 1_000 }), key: folder.keys({ warm: 1_000 }) };
  const startOf =
    ({ name, subject, kind, server: made }) =>
    async () => {
      const facts = issuer.facts(ALGORITHM);
      const given = { subject, kind, file: files[kind], facts, capacity: CAPACITY, ownData: OWN_DATA, server: made };
      const running = await start(PROGRAM, given, { name });
      const { warm } = JSON.parse(readFileSync(files[kind], 'utf8'));
      const requests = warm.map((credential) => getWith(running.first, credential));
      const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(running.first)));
      const started = { ...running, requests, connections };
      await send(started, STARTING);
      return started;
    };
  const groups = { ...GROUPS, ...PREPARED };
  const figures = await inParts({ ...rounds, processes: PROCESSES }, async (part) => {
    const ofPart = {};
    for (const [group, servers] of Object.entries(groups)) {
      const count = group === 'others' ? REQUESTS_WITHOUT_BOUND : REQUESTS;
      const measured = await withProcesses(servers.map(startOf), (running) =>
        inRounds(running, part, (one) => measure(one, count)),
      );
      for (const [name, values] of Object.entries(measured)) ofPart[nameIn(group, name)] = values;
    }
    return ofPart;
  });
  const subjects = Object.values(GROUPS).flatMap((servers) => servers.map(({ subject }) => subject));
  return reportOf(figures, await titlesOf([...new Set(subjects)]));
}

const nameIn = (group, name) => `${group}: ${name}`;

async function measure(server, count) {
  await send(server, RESUMING);
  const spent = await server.ask('cpu');
  const begun = performance.now();
  const latencies = await send(server, count);
  const rate = count / ((performance.now() - begun) / 1_000);
  const cost = ((await server.ask('cpu')) - spent) / count;
  return { rate, cost, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

/**
 * Sends requests on all connections. The client does not sleep while it waits for answers: a server must wake a client that sleeps,
 * which costs it 20 µs a request, and costs a slower server more often.
 *
 * @returns How long each request took, in milliseconds.
 */
async function send({ name, requests, connections }, count) {
  let sent = 0;
  const latencies = [];
  const work = async ({ ask }) => {
    while (sent < count) {
      const bytes = requests[sent % requests.length];
      sent += 1;
      const begun = performance.now();
      const { status } = await ask(bytes);
      latencies.push(performance.now() - begun);
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    }
  };
  let awake = setImmediate(function stayAwake() {
    awake = setImmediate(stayAwake);
  });
  try {
    await Promise.all(connections.map(work));
  } finally {
    clearImmediate(awake);
  }
  return latencies;
}

function reportOf(figures, titles) {
  const of = (group, name, figure) => figures[nameIn(group, name)].map((round) => round[figure]);
  // What a core does for each, whatever else it does.
  const work = (group, name, other) => ratioOf(of(group, other, 'cost'), of(group, name, 'cost'));
  const titleOf = ({ name, subject, kind }) =>
    name.startsWith('bare') ? name : `${titles[subject]}${/^(?:ideal|keyward-four)/.test(subject) ? `, ${kind}s` : ''}`;
  const rowOf = ([group, one]) => [
    ...[titleOf(one), digits(summaryOf(of(group, one.name, 'rate')).median)],
    spread(ratioOf(of(group, one.name, 'rate'), of(group, BARE.name, 'rate'))),
    ...[digits(summaryOf(of(group, one.name, 'cost')).median), spread(work(group, one.name, BARE.name))],
    ...['p50', 'p99'].map((figure) => digits(summaryOf(of(group, one.name, figure)).median)),
  ];
  // One row for the bare servers of all groups.
  const rowsOf = (groups) =>
    Object.entries(groups).flatMap(([group, servers], index) =>
      servers.filter(({ name }) => index === 0 || name !== BARE.name).map((one) => [group, one]),
    );
  const [rows, preparedRows] = [rowsOf(GROUPS), rowsOf(PREPARED)];
  const columns = ['', 'requests per second', 'times bare', 'µs of CPU', 'per CPU, times bare', 'p50, ms', 'p99, ms'];
  const bars = rows.map(([group, one]) => {
    const { median: value, low, high } = work(group, one.name, BARE.name);
    return { label: titleOf(one), value, low, high, own: one.subject.startsWith('keyward') };
  });
  const pairs = [
    { group: 'tokens', own: 'token keyward-token', ideal: 'token ideal' },
    { group: 'keys', own: 'key keyward-key', ideal: 'key ideal' },
  ];
  return {
    title: 'HTTP',
    text:
      `Express 5, ${CONNECTIONS} connections, 1,000 cached credentials (tokens: ${ALGORITHM}), the client on another core. ` +
      '“Bare” is the same app without authentication, beside the servers that are compared with it; its second copy shows how much two ' +
      'equal servers differ. The bounds are about requests per second of CPU, because a busy server on its own machine reaches that ' +
      'many per second.',
    sections: [
      { title: 'requests', table: table(columns, rows.map(rowOf)) },
      {
        title: 'requests created with the prototypes of the app',
        text:
          'Express sets the prototype of every request and response. On Node 20 and 22 this is most of the cost of a request, ' +
          'because V8 then creates a hidden class for each object. These servers create the objects with the prototypes of the ' +
          'app, so Express has nothing to set ([how](guide.md#a-faster-express)). “Bare” is such a server, too.',
        table: table(columns, preparedRows.map(rowOf)),
      },
    ],
    charts: [{ file: 'http.svg', title: 'HTTP: requests per second of CPU, times bare Express', unit: '', bars }],
    bounds: pairs.flatMap(({ group, own, ideal }) => [
      atLeast(`HTTP, ${own}: times the ideal's requests per second of CPU`, work(group, own, ideal), TIMES_IDEAL),
      atMost(
        `HTTP, ${own}: times the ideal's p99`,
        ratioOf(of(group, own, 'p99'), of(group, ideal, 'p99')),
        TIMES_IDEAL_P99,
      ),
    ]),
  };
}
