/** docs/performance.md and its charts, from the figures of one run. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { missedOf } from '../measure/bounds.js';
import { isPinned } from '../measure/cores.js';
import { barChart } from './chart.js';
import { boundsTable } from './text.js';

const DOCS = new URL('../../docs/', import.meta.url);
const CHARTS = 'performance/';

/** One suite as Markdown: as it is printed and as it is on the page. */
export function sectionOf({ title, text, sections, charts = [], bounds }) {
  const parts = sections.flatMap((section) => [`### ${title}: ${section.title}`, section.text ?? '', section.table]);
  const pictures = charts.map((chart) => `![${chart.title}](${CHARTS}${chart.file})`);
  const held = bounds.length === 0 ? [] : [`### ${title}: bounds`, boundsTable(bounds)];
  return [`## ${title}`, text, ...pictures, ...parts, ...held, ''].join('\n\n');
}

export function writePage(results, run) {
  const folder = new URL(CHARTS, DOCS);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith('.svg')) rmSync(new URL(name, folder));
  for (const chart of results.flatMap(({ charts = [] }) => charts)) {
    writeFileSync(new URL(chart.file, folder), barChart(chart));
  }
  const page = [head(results, run), ...results.map(sectionOf)].join('\n\n');
  writeFileSync(new URL('performance.md', DOCS), `${page.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n`);
}

function head(results, { rounds, seconds }) {
  const missed = missedOf(results).length;
  const all = results.flatMap(({ bounds }) => bounds).length;
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, ${process.platform}`;
  return [
    '# Performance',
    `Written by \`npm run bench\` in ${seconds} s, on ${machine}; ${isPinned ? 'each process pinned to one core' : 'nothing pinned'}. ` +
      `${all - missed} of ${all} bounds held.`,
    'For engineers who compare keyward with other packages. Times differ from machine to machine and from minute to minute. Ratios ' +
      'differ less, but they differ too: a processor with fast RSA makes the share of the signature smaller. Each subject has ' +
      'a process of its own, in most suites several, one after the other. Most suites have ' +
      `${rounds.rounds} rounds; start-up and memory have fewer, warm calls have more. In each round every subject has its turn, in ` +
      'reverse order every other round. A ratio is the median of the ratios of the rounds, followed by the quartiles. Before calls ' +
      'or HTTP are measured, every subject must refuse a bad signature, another audience, an expired token or key, an unknown key ' +
      'and a request without a credential. `npm run bench -- --check` exits 1 when a bound is missed. The ' +
      'programs are in `bench/` in the repository.',
  ].join('\n\n');
}
