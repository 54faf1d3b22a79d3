/**
 * `npm run soak`: what takes too long for every run of the tests. Writes docs/soak.md and exits 1 when a bound is missed.
 * `npm run soak -- --only store` runs the parts whose names begin so, and writes their sections anew. With `--scale 0.01` it
 * is a hundredth of it, and nothing is written. The parts of the store need KEYWARD_TEST_POSTGRES, the URL of a server to make schemas on.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { constantWork } from './constant-work.js';
import { endurance } from './endurance.js';
import { flood } from './flood.js';
import { FLOORS, laws } from './laws.js';
import { managementSize } from './management-size.js';
import { storeCrash } from './store-crash.js';
import { storeOutage } from './store-outage.js';
import { postgresServer } from './store-places.js';
import { storeRestart } from './store-restart.js';
import { storeSize } from './store-size.js';
import { tokenTiming } from './token-timing.js';

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, only: { type: 'string', default: '' } },
});
const scale = Number(values.scale);
const parts = {
  'constant-work': () => constantWork(20_000 * Math.min(1, scale * 10)),
  'token-timing': () => tokenTiming(20_000 * Math.min(1, scale * 10)),
  'store-outage': () => storeOutage(Math.max(10, 20 * scale)),
  'store-restart': () => storeRestart(Math.ceil(3 * scale)),
  'store-crash': () => storeCrash(Math.ceil(1_000 * scale)),
  'store-size': () => storeSize(Math.max(10_000, 1_000_000 * scale)),
  'management-size': () => managementSize(Math.max(10_000, 1_000_000 * scale)),
  flood: () => flood(1_000_000 * scale),
  endurance: () => endurance(10_000_000 * scale),
  ...Object.fromEntries(FLOORS.map((floor) => [`laws-${floor}`, () => laws(floor, 1_000_000 * scale)])),
};
const chosen = Object.keys(parts).filter((name) => name.startsWith(values.only));
// Before anything has begun that takes hours.
if (chosen.some((name) => /^(?:store|management)/.test(name))) postgresServer();

const PAGE = 'docs/soak.md';
const HEAD = '# Soak\n\nWritten by `npm run soak`: what the tests show in small, in large.\n';

let missed = 0;
for (const name of chosen) {
  const { title, figures } = await parts[name]();
  process.stdout.write(`${title}\n`);
  for (const [figure, value, held] of figures)
    process.stdout.write(`  ${held ? 'ok    ' : 'MISSED'} ${figure}: ${value}\n`);
  missed += figures.filter(([, , held]) => !held).length;
  if (scale === 1) record(name, title, figures);
}
process.stdout.write(missed === 0 ? 'every bound held\n' : `${missed} bounds missed\n`);
process.exitCode = missed === 0 ? 0 : 1;

/** Puts the section of a part into the page, in the order of the parts; the sections of others stay. */
function record(part, title, figures) {
  const rows = figures.map(([figure, value, held]) => `| ${figure} | ${value} | ${held ? 'yes' : '**no**'} |`);
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
