/**
 * `npm run soak`: what takes too long for every run of the tests. Writes docs/soak.md and exits 1 when a bound is missed.
 * `npm run soak -- --only store` runs the parts whose names begin so, and writes their sections anew. With `--scale 0.01` it
 * is a hundredth of it, and nothing is written. The parts of the store need KEYWARD_TEST_POSTGRES, the URL of a server to make schemas on.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { progressLine } from '../scripts/progress-line.js';
import { constantWork } from './constant-work.js';
import { endedKeys } from './ended-keys.js';
import { endurance } from './endurance.js';
import { flood } from './flood.js';
import { FLOORS, laws } from './laws.js';
import { listSize } from './list-size.js';
import { managementSize } from './management-size.js';
import { proofReplay } from './proof-replay.js';
import { revokedTokens } from './revoked-tokens.js';
import { storeBusy } from './store-busy.js';
import { storeCrash } from './store-crash.js';
import { storeOutage } from './store-outage.js';
import { postgresServer } from './store-places.js';
import { storeRestart } from './store-restart.js';
import { storeSize } from './store-size.js';
import { tokenTiming } from './token-timing.js';
import { usageCounts } from './usage-counts.js';

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, only: { type: 'string', default: '' } },
});
const scale = Number(values.scale);
const parts = {
  'constant-work': () => constantWork(20_000 * Math.min(1, scale * 10)),
  'ended-keys': () => endedKeys(500),
  'token-timing': () => tokenTiming(20_000 * Math.min(1, scale * 10)),
  'store-outage': () => storeOutage(Math.max(10, 20 * scale)),
  'proof-replay': () => proofReplay(Math.ceil(10_000 * scale)),
  'store-restart': () => storeRestart(Math.ceil(3 * scale)),
  'store-crash': () => storeCrash(Math.ceil(1_000 * scale)),
  'store-busy': () => storeBusy(Math.max(10_000, 400_000 * scale), Math.max(5, 20 * scale)),
  'store-size': () => storeSize(Math.max(10_000, 1_000_000 * scale)),
  'management-size': () => managementSize(Math.max(10_000, 1_000_000 * scale)),
  'list-size': () => listSize(Math.max(10_000, 1_000_000 * scale)),
  'revoked-tokens': () => revokedTokens(Math.max(1_000, 100_000 * scale), Math.ceil(1_000 * scale)),
  'usage-counts': () => usageCounts(Math.ceil(100_000 * scale), Math.max(5, 150 * scale)),
  flood: () => flood(1_000_000 * scale),
  endurance: () => endurance(10_000_000 * scale),
  ...Object.fromEntries(FLOORS.map((floor) => [`laws-${floor}`, () => laws(floor, 1_000_000 * scale)])),
};
const chosen = Object.keys(parts).filter((name) => name.startsWith(values.only));
// Before anything has begun that takes hours.
if (chosen.some((name) => /^(?:store|management|proof|revoked|list|usage)/.test(name))) postgresServer();

/** A figure says whether its bound held; one without a bound says nothing. */
const VERDICTS = new Map([
  [true, 'ok    '],
  [false, 'MISSED'],
  [undefined, '      '],
]);
const CELLS = new Map([
  [true, 'yes'],
  [false, '**no**'],
  [undefined, '–'],
]);

const PAGE = 'docs/soak.md';
const HEAD =
  '# Soak\n\nFor engineers who want to know how keyward behaves under load and over time. Written by `npm run soak`: long runs of what the tests check in short ones.\n';

const progress = progressLine();
let missed = 0;
for (const [index, name] of chosen.entries()) {
  progress.show(`part ${index + 1} of ${chosen.length}: ${name}`);
  const { title, figures } = await parts[name]();
  progress.clear();
  process.stdout.write(`${title}\n`);
  for (const [figure, value, held] of figures) process.stdout.write(`  ${VERDICTS.get(held)} ${figure}: ${value}\n`);
  missed += figures.filter(([, , held]) => held === false).length;
  if (scale === 1) record(name, title, figures);
}
process.stdout.write(missed === 0 ? 'every bound held\n' : `${missed} bounds missed\n`);
process.exitCode = missed === 0 ? 0 : 1;

/** Puts the section of a part into the page, in the order of the parts; the sections of others stay. */
function record(part, title, figures) {
  const rows = figures.map(([figure, value, held]) => `| ${figure} | ${value} | ${CELLS.get(held)} |`);
  const machine = `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}).`;
  const lines = [
    `## ${title}`,
    '',
    `<!-- ${part} -->`,
    machine,
    '',
    '| figure | value | within its bound |',
    '| --- | --- | --- |',
  ];
  const sections = new Map(sectionsOf(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : ''));
  sections.set(part, `${[...lines, ...rows].join('\n')}\n`);
  const inOrder = Object.keys(parts).flatMap((name) => sections.get(name) ?? []);
  writeFileSync(PAGE, [HEAD, ...inOrder].join('\n'));
}

function sectionsOf(page) {
  return page
    .split(/^(?=## )/m)
    .slice(1)
    .map((section) => [/<!-- (\S+) -->/.exec(section)?.[1], `${section.trimEnd()}\n`]);
}
