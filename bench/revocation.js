/**
 * `npm run bench:revocation`: how long after a revocation is committed other processes refuse the key or token. Resource servers
 * and the writer have processes of their own, real HTTP and one database: PostgreSQL, as it should be and with its
 * channel broken in each way, and SQLite. Prints the figures, and exits 1 when a bound is missed. It needs
 * KEYWARD_TEST_POSTGRES, the URL of a server to make schemas on.
 */
import { parseArgs } from 'node:util';
import { median, quantile } from '../soak/figures.js';
import { startInstance } from '../soak/store-fleet.js';
import { placesOf } from '../soak/store-places.js';
import { seedKeys } from '../soak/store-rows.js';
import { faults } from './revocation/faults.js';
import { seedTokens } from './revocation/tokens.js';
import { keysFor, trial } from './revocation/trial.js';

const { values } = parseArgs({
  options: { revocations: { type: 'string', default: '1000' }, only: { type: 'string', default: '' } },
});
const revocations = Number(values.revocations);
/** Milliseconds (design rule 6). */
const HEALTHY = { p99: 1_000, most: 2_000 };
const BROKEN = { p99: 5_000, most: 5_000 };

const trials = [
  { name: 'PostgreSQL, 3 servers', engine: 'PostgreSQL', bounds: HEALTHY },
  { name: 'the connection that listens terminated', engine: 'PostgreSQL', fault: 'terminated', bounds: BROKEN },
  { name: 'its packets dropped silently', engine: 'PostgreSQL', fault: 'dropped', bounds: BROKEN },
  { name: 'NOTIFY never sent', engine: 'PostgreSQL', fault: 'unannounced', bounds: BROKEN },
  { name: 'a pooler without LISTEN', engine: 'PostgreSQL', fault: 'deaf', bounds: BROKEN },
  { name: 'SQLite, 2 processes on one file', engine: 'SQLite', bounds: HEALTHY },
  { name: 'tokens: PostgreSQL, 3 servers', engine: 'PostgreSQL', tokens: true, bounds: HEALTHY },
  { name: 'tokens: NOTIFY never sent', engine: 'PostgreSQL', tokens: true, fault: 'unannounced', bounds: BROKEN },
  { name: 'tokens: SQLite, 2 processes on one file', engine: 'SQLite', tokens: true, bounds: HEALTHY },
].filter(({ name }) => name.includes(values.only));
const SERVERS = { PostgreSQL: 3, SQLite: 1 };

process.stdout.write(`${revocations} revocations each, from commit to first refusal\n`);
for (const { name, engine, ...of } of trials) {
  const place = placesOf[engine]();
  try {
    report(name, await run({ place, servers: SERVERS[engine], ...of }));
  } finally {
    await place.remove();
  }
}

async function run({ place, servers, tokens, fault, bounds }) {
  const count = keysFor(revocations);
  const seeded = tokens ? await seedTokens(place.url, count) : { keys: await seedKeys(place.url, count) };
  const { keys, issuer } = seeded;
  const struck = fault === undefined ? { url: place.url } : await faults[fault](place);
  const writer = await startInstance(place.url, {}, issuer);
  const instances = await Promise.all(Array.from({ length: servers }, () => startInstance(struck.url, {}, issuer)));
  struck.begin?.();
  const result = await trial({ writer, servers: instances, keys, bound: bounds.most });
  await Promise.all([writer, ...instances].map((instance) => instance.stop()));
  await struck.end?.();
  seeded.close?.();

  const figures = figuresOf(result, bounds, revocations * servers);
  if (fault === undefined) return figures;
  const lost = instances.flatMap(({ warnings }) => warnings).filter(({ warning }) => warning === 'polling_only').length;
  const times = struck.struck();
  return [...figures, [times > 0, `struck ${times} times; ${lost} times a server said that it is left to poll`]];
}

function figuresOf({ delays, ...counts }, bounds, expected) {
  const [p99, most] = [quantile(delays, 0.99), quantile(delays, 1)];
  const [bound, longest] = [bounds.p99, bounds.most].map(milliseconds);
  const others = [...new Set(counts.others)].join(', ');
  return [
    [true, `median ${milliseconds(median(delays))}`],
    [p99 <= bounds.p99, `p99 ${milliseconds(p99)} (at most ${bound})`],
    [most <= bounds.most, `longest ${milliseconds(most)} (at most ${longest})`],
    [delays.length === expected, `${delays.length} refusals timed`],
    [counts.acceptedPast === 0, `${counts.acceptedPast} accepted past ${longest}`],
    [counts.acceptedByWriter === 0, `${counts.acceptedByWriter} accepted by the process that revoked`],
    [counts.acceptedAtEnd === 0, `${counts.acceptedAtEnd} accepted at the end`],
    [counts.others.length === 0, `${counts.others.length} other answers that are wrong ${others}`.trim()],
    [true, `${counts.unavailable} answers of 503`],
  ];
}

function report(name, figures) {
  process.stdout.write(`${name}\n`);
  for (const [held, text] of figures) process.stdout.write(`  ${held ? 'ok    ' : 'MISSED'} ${text}\n`);
  if (figures.some(([held]) => !held)) process.exitCode = 1;
}

function milliseconds(time) {
  return `${Math.round(time)} ms`;
}
