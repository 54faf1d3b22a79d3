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
 * Requests that are not counted, at the beginning of each turn: each credential five times. V8 gives memory back while the others
 * have their turn, and the processor's caches hold their code; a server that has rested for some seconds needs some 5,000 requests to
 * be as fast as before.
 *
 * Each server gets as many right after its start, too. If its heap was collected a few times before its first requests, V8 on Node 20
 * may compile `process.nextTick` to code that costs 2 to 3 µs more in each request, for as long as the process lives. Which servers
 * rest long enough for that depends on their place in the list.
 */
const RESUMING = 5_000;
/**
 * Requests that one figure of a round takes: each credential fifteen times. It holds some five full garbage collections, so that one
 * more or less is not the difference between two servers: with 5,000 requests, ratios of single rounds differed by 5.5 % (standard
 * deviation), with 15,000 by 3.3 %.
 */
const REQUESTS = 15_000;
/** Part of the rounds to warm up that other suites have: a turn is long. */
const SHORTER = 0.5;
/** Requests for each second of CPU, and p99, beside the ideal's of the same round. */
const TIMES_IDEAL = 0.95;
const TIMES_IDEAL_P99 = 1.25;
/** Processes of each server. */
const PROCESSES = 3;
const PROGRAM = new URL('../processes/serve.js', import.meta.url);

const BARE = { name: 'bare', subject: 'nothing', kind: 'token' };
const SERVERS = [
  ...[BARE, { ...BARE, name: 'bare, a second copy' }],
  ...['ideal', 'keyward-token', 'keyward-four-guards', 'fast-jwt'].map(server('token')),
  ...['passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'].map(server('token')),
  ...['ideal', 'keyward-key', 'keyward-four-guards', 'passport-http-bearer'].map(server('key')),
];

/** Those of them that are measured on servers whose requests are the app's from the start, too. */
const PREPARED = ['bare', 'token ideal', 'token keyward-token', 'key ideal', 'key keyward-key'];
const ALL = [
  ...SERVERS,
  ...SERVERS.filter(({ name }) => PREPARED.includes(name)).map((one) => ({
    ...one,
    name: prepared(one.name),
    server: 'prepared',
  })),
];

function server(kind) {
  return (subject) => ({ name: `${kind} ${subject}`, subject, kind });
}

function prepared(name) {
  return `${name}, prepared`;
}

export async function http({ issuer, folder, rounds: { rounds: counted, warmUp } }) {
  const rounds = { rounds: counted, warmUp: Math.ceil(warmUp * SHORTER) };
  const files = { token: folder.tokens(issuer, ALGORITHM, { warm: 1_000 }), key: folder.keys({ warm: 1_000 }) };
  const starts = ALL.map(({ name, subject, kind, server: made }) => async () => {
    const given = {
      subject,
      kind,
      file: files[kind],
      facts: issuer.facts(ALGORITHM),
      capacity: CAPACITY,
      server: made,
    };
    const running = await start(PROGRAM, given, { name });
    const { warm } = JSON.parse(readFileSync(files[kind], 'utf8'));
    const requests = warm.map((credential) => getWith(running.first, credential));
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(running.first)));
    const started = { ...running, requests, connections };
    await send(started, RESUMING);
    return started;
  });
  const figures = await inParts({ ...rounds, processes: PROCESSES }, (part) =>
    withProcesses(starts, (running) => inRounds(running, part, measure)),
  );
  return reportOf(figures, await titlesOf([...new Set(SERVERS.map(({ subject }) => subject))]));
}

async function measure(server) {
  await send(server, RESUMING);
  const spent = await server.ask('cpu');
  const begun = performance.now();
  const latencies = await send(server, REQUESTS);
  const rate = REQUESTS / ((performance.now() - begun) / 1_000);
  const cost = ((await server.ask('cpu')) - spent) / REQUESTS;
  return { rate, cost, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

/** @returns How long each request took, in milliseconds. */
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
  await Promise.all(connections.map(work));
  return latencies;
}

function reportOf(figures, titles) {
  const of = (name, figure) => figures[name].map((round) => round[figure]);
  // What a core does for each, whatever else it does.
  const work = (name, other) => ratioOf(of(other, 'cost'), of(name, 'cost'));
  const titleOf = ({ name, subject, kind }) =>
    name.startsWith('bare')
      ? name.replace(/, prepared$/, '')
      : `${titles[subject]}${/^(?:ideal|keyward-four)/.test(subject) ? `, ${kind}s` : ''}`;
  const rowOf = (one, bare) => [
    ...[titleOf(one), digits(summaryOf(of(one.name, 'rate')).median)],
    spread(ratioOf(of(one.name, 'rate'), of(bare, 'rate'))),
    ...[digits(summaryOf(of(one.name, 'cost')).median), spread(work(one.name, bare))],
    ...['p50', 'p99'].map((figure) => digits(summaryOf(of(one.name, figure)).median)),
  ];
  const rows = ALL.map((one) => rowOf(one, one.server === undefined ? 'bare' : prepared('bare')));
  const columns = ['', 'requests per second', 'times bare', 'µs of CPU', 'per CPU, times bare', 'p50, ms', 'p99, ms'];
  const bars = SERVERS.map((one) => {
    const { median: value, low, high } = work(one.name, 'bare');
    return { label: titleOf(one), value, low, high, own: one.subject.startsWith('keyward') };
  });
  const pairs = [
    { own: 'token keyward-token', ideal: 'token ideal' },
    { own: 'key keyward-key', ideal: 'key ideal' },
  ];
  return {
    title: 'HTTP',
    text:
      `Express 5, ${CONNECTIONS} connections, 1,000 cached credentials (tokens: ${ALGORITHM}), the client on another core. ` +
      '“Bare” is the same app without authentication; its second copy shows how much two equal servers differ. The bounds are ' +
      'about requests per second of CPU, because a busy server on its own machine reaches that many per second.',
    sections: [
      { title: 'requests', table: table(columns, rows.slice(0, SERVERS.length)) },
      {
        title: 'requests created with the prototypes of the app',
        text:
          'Express sets the prototype of every request and response. On Node 20 and 22 this is most of the cost of a request, ' +
          'because V8 then creates a hidden class for each object. These servers create the objects with the prototypes of the ' +
          'app, so Express has nothing to set ([how](guide.md#a-faster-express)). “Bare” is such a server, too.',
        table: table(columns, rows.slice(SERVERS.length)),
      },
    ],
    charts: [{ file: 'http.svg', title: 'HTTP: requests per second of CPU, times bare Express', unit: '', bars }],
    bounds: pairs.flatMap(({ own, ideal }) => [
      atLeast(`HTTP, ${own}: times the ideal's requests per second of CPU`, work(own, ideal), TIMES_IDEAL),
      atMost(`HTTP, ${own}: times the ideal's p99`, ratioOf(of(own, 'p99'), of(ideal, 'p99')), TIMES_IDEAL_P99),
    ]),
  };
}
