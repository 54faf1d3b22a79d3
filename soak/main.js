/**
 * `npm run soak`: what takes too long for every run of the tests. Writes docs/soak.md and exits 1 when a bound is missed.
 * `npm run soak -- --scale 0.01` runs a hundredth of it, and writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { constantWork } from './constant-work.js';
import { endurance } from './endurance.js';
import { flood } from './flood.js';
import { laws } from './laws.js';
import { tokenTiming } from './token-timing.js';

const { values } = parseArgs({ options: { scale: { type: 'string', default: '1' } } });
const scale = Number(values.scale);
const parts = [
  () => constantWork(20_000 * Math.min(1, scale * 10)),
  () => tokenTiming(20_000 * Math.min(1, scale * 10)),
  () => flood(1_000_000 * scale),
  () => endurance(10_000_000 * scale),
  () => laws(1_000_000 * scale),
];

const results = [];
for (const part of parts) {
  const result = await part();
  results.push(result);
  process.stdout.write(`${result.title}\n`);
  for (const [name, value, held] of result.figures)
    process.stdout.write(`  ${held ? 'ok    ' : 'MISSED'} ${name}: ${value}\n`);
}

const missed = results.flatMap(({ figures }) => figures).filter(([, , held]) => !held).length;
if (scale === 1) writeFileSync('docs/soak.md', page());
process.stdout.write(missed === 0 ? 'every bound held\n' : `${missed} bounds missed\n`);
process.exitCode = missed === 0 ? 0 : 1;

function page() {
  const tables = results.map(({ title, figures }) => {
    const rows = figures.map(([name, value, held]) => `| ${name} | ${value} | ${held ? 'yes' : '**no**'} |`);
    return [`## ${title}`, '', '| figure | value | within its bound |', '| --- | --- | --- |', ...rows, ''].join('\n');
  });
  const machine = `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}).`;
  return ['# Soak', '', `Written by \`npm run soak\`. ${machine}`, '', ...tables].join('\n');
}
