/** What the other entry points add to a warm call. */
import { atMost } from '../measure/bounds.js';
import { differenceOf, ratioOf, summaryOf } from '../measure/statistics.js';
import { digits, spread, table } from '../report/text.js';
import { inCalls, titlesOf } from './calls.js';

/** Pairs of subjects: how much the first may cost beside the second. */
const PAIRS = {
  introspection: { own: 'keyward-introspected', beside: 'keyward-key', times: 1.1 },
  OpenAPI: { own: 'keyward-openapi', beside: 'keyward-key', over: 2 },
  'rate limit': { own: 'keyward-limited', beside: 'keyward-key', over: 3 },
  'token client': { own: 'token-client', beside: 'plain-fetch', over: 20 },
};
/**
 * Measured in one process, because the bound is less than what the same code differs by from process to process: between
 * processes, twelve of each gave -97 to 56 ns.
 */
const TOGETHER = { usage: { own: 'keyward-counted', beside: 'keyward-uncounted', over: 0.02 } };
const CREDENTIALS = 1_000;
/** Processes of each subject. */
const PROCESSES = 4;
/** Milliseconds that one figure of a round takes. */
const TIME = 100;
const MICROSECOND = 1_000;

export async function additions({ folder, rounds }) {
  const file = folder.keys({ warm: CREDENTIALS });
  const files = { 'keyward-introspected': folder.keys({ warm: CREDENTIALS, prefix: 'opaque_' }) };
  const ask = (subject) => subject.ask('callsWarm', { credentials: CREDENTIALS, made: 'app', milliseconds: TIME });
  const askBoth = (subject) => subject.ask('callsOfBoth', { credentials: CREDENTIALS, milliseconds: TIME });
  const pairs = { ...PAIRS, ...TOGETHER };
  const titles = await titlesOf(Object.values(pairs).flatMap(({ own, beside }) => [own, beside]));
  const groupOf = ({ own, beside }) => ({ kind: 'key', file, files, subjects: [beside, own] });
  const groups = Object.fromEntries(Object.entries(PAIRS).map(([name, pair]) => [name, groupOf(pair)]));
  const figures = await inCalls(groups, { ...rounds, processes: PROCESSES }, ask);
  const inOne = ({ own, beside }) => ({ kind: 'key', file, subjects: [own], beside });
  const together = Object.fromEntries(Object.entries(TOGETHER).map(([name, pair]) => [name, inOne(pair)]));
  const both = await inCalls(together, { ...rounds, processes: PROCESSES }, askBoth);
  for (const [name, { own, beside }] of Object.entries(TOGETHER)) {
    const of = (which) => both[name][own].map((round) => round[which]);
    figures[name] = { [own]: of('own'), [beside]: of('beside') };
  }
  const parts = Object.entries(pairs).map(([name, pair]) => partOf(name, pair, figures[name], titles));
  return {
    title: 'What other entry points add',
    text:
      'Microseconds of CPU for one warm call, 1,000 credentials in turn. Compared are opaque tokens with keys, a gate from an ' +
      'OpenAPI document of 10,000 operations with the same gate and guard written by hand, keys with usage counts with keys ' +
      'without (in the same process, which has the store), keys with a rate limit (in memory) with keys without, and the `fetch` of a ' +
      'token client that has a cached token with plain `fetch` (nothing is sent).',
    sections: parts.map(({ section }) => section),
    bounds: parts.map(({ bound }) => bound),
  };
}

function partOf(name, { own, beside, times, over }, figures, titles) {
  const microseconds = (subject) => figures[subject].map((nanoseconds) => nanoseconds / MICROSECOND);
  const [mine, other] = [microseconds(own), microseconds(beside)];
  const [ratio, difference] = [ratioOf(mine, other), differenceOf(mine, other)];
  const rows = [
    [titles[beside], digits(summaryOf(other).median), '', ''],
    [titles[own], digits(summaryOf(mine).median), spread(ratio), spread(difference)],
  ];
  return {
    section: { title: name, table: table(['', 'µs', 'times', 'µs more'], rows) },
    bound:
      times === undefined
        ? atMost(`${titles[own]}: over ${titles[beside]}`, difference, over, ' µs')
        : atMost(`${titles[own]}: times ${titles[beside]}`, ratio, times),
  };
}
