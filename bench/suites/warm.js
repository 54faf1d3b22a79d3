/** The middleware alone, for credentials that it has met before. */
import { atLeast, atMost } from '../measure/bounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { ALGORITHMS } from '../platform/issuer.js';
import { digits, spread, table } from '../report/text.js';
import { inCalls, titlesOf, verifiersOf } from './calls.js';

const OF_TOKENS = [
  ...['nothing', 'ideal', 'keyward-token', 'keyward-four-guards', 'fast-jwt'],
  ...['passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'],
];
const OF_KEYS = ['nothing', 'ideal', 'keyward-key', 'keyward-four-guards', 'passport-http-bearer'];
const SIZES = [1, 1_000];
/** Milliseconds that one figure of a round takes. */
const TIME = 25;

export async function warm({ issuer, folder, rounds }) {
  const groups = [
    ...ALGORITHMS.map((algorithm) => ({
      ...{ name: algorithm, kind: 'token', own: 'keyward-token', subjects: verifiersOf(algorithm, OF_TOKENS) },
      ...{ file: folder.tokens(issuer, algorithm, { warm: 1_000 }), facts: issuer.facts(algorithm) },
    })),
    { name: 'keys', kind: 'key', own: 'keyward-key', subjects: OF_KEYS, file: folder.keys({ warm: 1_000 }) },
  ];
  const titles = await titlesOf([...new Set([...OF_TOKENS, ...OF_KEYS])]);
  const parts = [];
  for (const group of groups) {
    const figures = await inCalls(group, rounds, async (subject) => {
      const calls = {};
      for (const credentials of SIZES)
        calls[credentials] = await subject.ask('callsWarm', { credentials, milliseconds: TIME });
      return calls;
    });
    parts.push(partOf(group, figures, titles));
  }
  return {
    title: 'The middleware alone, warm',
    text:
      'Nanoseconds of CPU a call, by credentials that were met before: one over and over, and 1,000 in turn. The ideal knows them from ' +
      'the start; it hashes, finds, looks at the expiry and at one scope. keyward has a gate and a guard that asks for that ' +
      'scope, or four guards; the peers ask for no scope.',
    sections: parts.map(({ section }) => section),
    charts: parts.map(({ chart }) => chart),
    bounds: parts.flatMap(({ bounds }) => bounds),
  };
}

function partOf({ name, own, subjects }, figures, titles) {
  const of = (subject, size) => figures[subject].map((round) => round[size]);
  const toIdeal = (subject) => ratioOf(of(subject, 1_000), of('ideal', 1_000));
  const rows = subjects.map((subject) => [
    ...[titles[subject], ...SIZES.map((size) => digits(summaryOf(of(subject, size)).median))],
    spread(toIdeal(subject)),
  ]);
  const times = (subject) => ratioOf(of(subject, 1_000), of(own, 1_000));
  const what = `${titles[own]}${name === 'keys' ? '' : `, ${name}`}`;
  const bounds = [
    atMost(`${what}: times the ideal`, toIdeal(own), 1.5),
    atMost(`${what}, four guards: times the ideal`, toIdeal('keyward-four-guards'), 2),
  ];
  if (own === 'keyward-token') {
    bounds.push(
      atLeast(`${what}: times as fast as fast-jwt`, times('fast-jwt'), 1.7),
      atLeast(`${what}: times as fast as express-oauth2-jwt-bearer`, times('express-oauth2-jwt-bearer'), 40),
    );
  }
  const bars = subjects
    .filter((subject) => subject !== 'nothing')
    .map((subject) => {
      const { median: value, low, high } = summaryOf(of(subject, 1_000));
      return { label: titles[subject], value, low, high, own: subject.startsWith('keyward') };
    });
  return {
    section: { title: name, table: table(['', 'ns, 1', 'ns, 1,000', 'times the ideal, 1,000'], rows) },
    chart: {
      file: `warm-${name.toLowerCase()}.svg`,
      ...{ title: `Warm, 1,000 credentials, ${name}: nanoseconds a call`, unit: ' ns', logarithmic: true, bars },
    },
    bounds,
  };
}
