/** Whole HTTP requests through Express, for 1,000 credentials that were met before. */
import { readFileSync } from 'node:fs';
import { atLeast, atMost } from '../measure/bounds.js';
import { getWith, openConnection } from '../measure/connection.js';
import { start, withProcesses } from '../measure/processes.js';
import { inRounds } from '../measure/rounds.js';
import { quantile, ratioOf, summaryOf } from '../measure/statistics.js';
import { digits, spread, table } from '../report/text.js';
import { CAPACITY, titlesOf } from './calls.js';

const ALGORITHM = 'RS256';
const CONNECTIONS = 8;
/**
 * Requests that one figure of a round takes: each credential three times. A turn is long enough to hold some twenty pauses of the
 * garbage collector, so that one more or less is not the difference between two servers.
 */
const REQUESTS = 3_000;
const PROGRAM = new URL('../processes/serve.js', import.meta.url);

const BARE = { name: 'bare', subject: 'nothing', kind: 'token' };
const SERVERS = [
  ...[BARE, { ...BARE, name: 'bare, a second copy' }],
  ...['ideal', 'keyward-token', 'keyward-four-guards', 'fast-jwt'].map(server('token')),
  ...['passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'].map(server('token')),
  ...['ideal', 'keyward-key', 'keyward-four-guards', 'passport-http-bearer'].map(server('key')),
];

function server(kind) {
  return (subject) => ({ name: `${kind} ${subject}`, subject, kind });
}

export async function http({ issuer, folder, rounds }) {
  const files = { token: folder.tokens(issuer, ALGORITHM, { warm: 1_000 }), key: folder.keys({ warm: 1_000 }) };
  const starts = SERVERS.map(({ name, subject, kind }) => async () => {
    const facts = issuer.facts(ALGORITHM);
    const running = await start(PROGRAM, { subject, kind, file: files[kind], facts, capacity: CAPACITY }, { name });
    const { warm } = JSON.parse(readFileSync(files[kind], 'utf8'));
    const requests = warm.map((credential) => getWith(running.first, credential));
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(running.first)));
    return { ...running, requests, connections };
  });
  const figures = await withProcesses(starts, (running) => inRounds(running, rounds, measure));
  return reportOf(figures, await titlesOf([...new Set(SERVERS.map(({ subject }) => subject))]));
}

async function measure({ name, ask: asked, requests, connections }) {
  let sent = 0;
  const latencies = [];
  const work = async ({ ask }) => {
    while (sent < REQUESTS) {
      const bytes = requests[sent % requests.length];
      sent += 1;
      const begun = performance.now();
      const { status } = await ask(bytes);
      latencies.push(performance.now() - begun);
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    }
  };
  const spent = await asked('cpu');
  const begun = performance.now();
  await Promise.all(connections.map(work));
  const rate = REQUESTS / ((performance.now() - begun) / 1_000);
  const cost = ((await asked('cpu')) - spent) / REQUESTS;
  return { rate, cost, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

function reportOf(figures, titles) {
  const of = (name, figure) => figures[name].map((round) => round[figure]);
  // What a core gets done for each, whoever else wants it.
  const work = (name, other) => ratioOf(of(other, 'cost'), of(name, 'cost'));
  const titleOf = ({ name, subject, kind }) =>
    name.startsWith('bare') ? name : `${titles[subject]}${/^(?:ideal|keyward-four)/.test(subject) ? `, ${kind}s` : ''}`;
  const rows = SERVERS.map((one) => [
    ...[titleOf(one), digits(summaryOf(of(one.name, 'rate')).median)],
    spread(ratioOf(of(one.name, 'rate'), of('bare', 'rate'))),
    ...[digits(summaryOf(of(one.name, 'cost')).median), spread(work(one.name, 'bare'))],
    ...['p50', 'p99'].map((figure) => digits(summaryOf(of(one.name, figure)).median)),
  ]);
  const bars = SERVERS.map((one) => {
    const { median: value, low, high } = work(one.name, 'bare');
    return { label: titleOf(one), value, low, high, own: one.subject.startsWith('keyward') };
  });
  // How far apart two servers are that do the same.
  const noise = summaryOf(
    of('bare', 'p99').map((p99, round) => apart(p99, of('bare, a second copy', 'p99')[round])),
  ).high;
  const pairs = [
    { own: 'token keyward-token', ideal: 'token ideal' },
    { own: 'key keyward-key', ideal: 'key ideal' },
  ];
  return {
    title: 'HTTP',
    text:
      `Express 5, ${CONNECTIONS} connections, 1,000 credentials that were met before (tokens: ${ALGORITHM}), the client on another core. ` +
      'Bare is the same app without a check; its second copy tells how far two servers are apart that do the same. Requests per ' +
      'second of CPU are what is bounded: on a machine of its own a busy server reaches as many a second.',
    sections: [
      {
        title: 'requests',
        table: table(
          ['', 'requests per second', 'times bare', 'µs of CPU', 'per CPU, times bare', 'p50, ms', 'p99, ms'],
          rows,
        ),
      },
    ],
    charts: [{ file: 'http.svg', title: 'HTTP: requests per second of CPU, times bare Express', unit: '', bars }],
    bounds: pairs.flatMap(({ own, ideal }) => [
      atLeast(`HTTP, ${own}: times the ideal's requests per second of CPU`, work(own, ideal), 0.95),
      atMost(
        `HTTP, ${own}: times the ideal's p99 (limit: two copies of bare)`,
        ratioOf(of(own, 'p99'), of(ideal, 'p99')),
        noise,
      ),
    ]),
  };
}

const apart = (one, other) => Math.max(one / other, other / one);
