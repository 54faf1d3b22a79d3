/** From a hundred keys to a million: what a warm call costs when more and more are cached. */
import { start, withProcesses } from '../measure/processes.js';
import { inRounds } from '../measure/rounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { digits, spread, table } from '../report/text.js';
import { titlesOf } from './calls.js';

const PROGRAM = new URL('../processes/grow.js', import.meta.url);
const SUBJECTS = ['ideal', 'keyward-key', 'passport-http-bearer'];
const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000];

export async function growth({ rounds, scale }) {
  const sizes = SIZES.filter((size) => size <= 1_000_000 * scale);
  const most = sizes.at(-1);
  const titles = await titlesOf(SUBJECTS);
  const begin = (subject) => () =>
    start(PROGRAM, { subject, most }, { name: subject, execArgv: ['--max-old-space-size=4096'] });
  const figures = {};
  await withProcesses(SUBJECTS.map(begin), async (running) => {
    for (const size of sizes) {
      for (const subject of running) await subject.ask('hold', size);
      figures[size] = await inRounds(running, rounds, (subject) => subject.ask('calls'));
    }
  });
  const medianOf = (size, subject) => summaryOf(figures[size][subject]).median;
  const rows = sizes.map((size) => [
    ...[size.toLocaleString('en'), ...SUBJECTS.map((subject) => digits(medianOf(size, subject)))],
    spread(ratioOf(figures[size]['keyward-key'], figures[size].ideal)),
  ]);
  const bars = sizes.map((size) => {
    const { median: value, low, high } = summaryOf(figures[size]['keyward-key']);
    return { label: `keyward, ${size.toLocaleString('en')} keys`, value, low, high, own: true };
  });
  return {
    title: 'Growth',
    text: 'Nanoseconds of CPU per warm call with this number of cached keys, in random order.',
    sections: [
      {
        title: 'cached keys',
        table: table(['', ...SUBJECTS.map((name) => titles[name]), 'keyward, times the ideal'], rows),
      },
    ],
    charts: [{ file: 'growth.svg', title: 'Growth: nanoseconds per warm call', unit: ' ns', bars }],
    bounds: [],
  };
}
