/** What the other entry points add to a warm call. */
import { atMost } from '../measure/bounds.js';
import { GROWN_NEW_SPACE } from '../measure/processes.js';
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
 * Keys of one gate are compared, because two gates with the same code differ by more than the bound: by 100 ns in two processes,
 * and by 50 in one.
 */
const USAGE = {
  subject: 'keyward-half-counted',
  pair: { own: 'counted', beside: 'uncounted', over: 0.02 },
  titles: { counted: 'keyward, a key, with usage counted', uncounted: 'a key of the same gate, without' },
};
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
  const askHalves = (subject) => subject.ask('callsOfHalves', { credentials: 2 * CREDENTIALS, milliseconds: TIME });
  const titles = await titlesOf(Object.values(PAIRS).flatMap(({ own, beside }) => [own, beside]));
  const given = { kind: 'key', file, files, execArgv: GROWN_NEW_SPACE };
  const groupOf = ({ own, beside }) => ({ ...given, subjects: [beside, own] });
  const groups = Object.fromEntries(Object.entries(PAIRS).map(([name, pair]) => [name, groupOf(pair)]));
  const figures = await inCalls(groups, { ...rounds, processes: PROCESSES }, ask);
  const halves = { usage: { kind: 'key', file: folder.keys({ warm: 2 * CREDENTIALS }), subjects: [USAGE.subject] } };
  const { usage } = await inCalls(halves, { ...rounds, processes: PROCESSES }, askHalves);
  const of = (half) => usage[USAGE.subject].map((round) => round[half]);
  const parts = [
    ...Object.entries(PAIRS).map(([name, pair]) => partOf(name, pair, figures[name], titles)),
    partOf('usage', USAGE.pair, { counted: of('own'), uncounted: of('beside') }, USAGE.titles),
  ];
  return {
    title: 'What other entry points add',
    text:
      'Microseconds of CPU for one warm call, 1,000 credentials in turn. Compared are opaque tokens with keys, a gate from an ' +
      'OpenAPI document of 10,000 operations with the same gate and guard written by hand, keys with usage counts with keys ' +
      'without (of one gate; elapsed time, in short turns), keys with a rate limit (in memory) with keys without, and the `fetch` of a ' +
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
