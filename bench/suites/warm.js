/** The middleware alone, for credentials that it has met before. */
import { atLeast, atMost } from '../measure/bounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { ALGORITHMS } from '../platform/issuer.js';
import { digits, spread, table } from '../report/text.js';
import { inCalls, titlesOf, verifiersOf } from './calls.js';

const OF_TOKENS = [
  ...['nothing', 'ideal', 'hand-written', 'keyward-token', 'keyward-four-guards', 'fast-jwt'],
  ...['passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'],
];
const OF_KEYS = ['nothing', 'ideal', 'hand-written', 'keyward-key', 'keyward-four-guards', 'passport-http-bearer'];
/** How requests are made, and how many credentials take turns. Express sets the prototype of each request that it gets. */
const WAYS = [
  { name: 'one', credentials: 1, made: 'app' },
  { name: 'many', credentials: 1_000, made: 'app' },
  { name: 'many by Express', credentials: 1_000, made: 'express' },
];
/**
 * How many times the CPU of the ideal a warm call may cost. Where Express has set the prototype of the request, assigning
 * `req.auth` is slow, as most engineers would write it, and a warm call may cost at most the same.
 */
const TIMES_IDEAL = { 'keyward-token': 1.4, 'keyward-key': 1.5 };
const TIMES_IDEAL_BY_EXPRESS = 1;
const TIMES_AS_FAST_AS_FAST_JWT = 1.4;
const COLUMNS = [
  '',
  'ns, 1',
  'ns, 1,000',
  'ns, 1,000, by Express',
  'times the ideal',
  'times assigning req.auth, by Express',
];
/** Processes of each subject: with 4, the same code gave 1.28 to 1.41 of the ideal for the three algorithms of one run. */
const PROCESSES = 8;
/**
 * Times the rounds that other suites have. On a machine whose speed changed by more than twice for seconds, three runs with 3 rounds in
 * each process gave 1.35 to 1.55 for the same code; there are 6 now.
 */
const MORE = 2;
/** Milliseconds that one figure of a round takes. */
const TIME = 25;

export async function warm({ issuer, folder, rounds: { rounds: counted, warmUp } }) {
  const rounds = { rounds: counted * MORE, warmUp, processes: PROCESSES };
  const ofTokens = (algorithm) => ({
    ...{ kind: 'token', own: 'keyward-token', subjects: verifiersOf(algorithm, OF_TOKENS) },
    ...{ file: folder.tokens(issuer, algorithm, { warm: 1_000 }), facts: issuer.facts(algorithm) },
  });
  const groups = {
    ...Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, ofTokens(algorithm)])),
    keys: { kind: 'key', own: 'keyward-key', subjects: OF_KEYS, file: folder.keys({ warm: 1_000 }) },
  };
  const titles = await titlesOf([...new Set([...OF_TOKENS, ...OF_KEYS])]);
  const figures = await inCalls(groups, rounds, async (subject) => {
    const calls = {};
    for (const { name, credentials, made } of WAYS)
      calls[name] = await subject.ask('callsWarm', { credentials, made, milliseconds: TIME });
    return calls;
  });
  const parts = Object.entries(groups).map(([name, group]) => partOf({ name, ...group }, figures[name], titles));
  return {
    title: 'The middleware alone, warm',
    text:
      'Nanoseconds of CPU for one call with a cached credential: one credential again and again, 1,000 in turn, and 1,000 in turn on ' +
      'requests whose prototype is set one by one, as Express does. The ideal has all credentials from the start; it hashes, finds ' +
      'the entry, and checks the expiry and one scope. keyward has a gate and a guard for that scope, or four guards; the other ' +
      'packages check no scope. fast-jwt and keyward cache verified tokens; express-jwt, passport-jwt and ' +
      `express-oauth2-jwt-bearer verify each time. This suite has ${rounds.rounds} rounds.`,
    sections: parts.map(({ section }) => section),
    charts: parts.map(({ chart }) => chart),
    bounds: parts.flatMap(({ bounds }) => bounds),
  };
}

function partOf({ name, own, subjects }, figures, titles) {
  const of = (subject, way) => figures[subject].map((round) => round[way]);
  const toIdeal = (subject) => ratioOf(of(subject, 'many'), of('ideal', 'many'));
  const byExpress = (subject) => ratioOf(of(subject, 'many by Express'), of('hand-written', 'many by Express'));
  const rows = subjects.map((subject) => [
    ...[titles[subject], ...WAYS.map((way) => digits(summaryOf(of(subject, way.name)).median))],
    ...[spread(toIdeal(subject)), spread(byExpress(subject))],
  ]);
  const times = (subject) => ratioOf(of(subject, 'many'), of(own, 'many'));
  const what = `${titles[own]}${name === 'keys' ? '' : `, ${name}`}`;
  const bounds = [
    atMost(`${what}: times the ideal`, toIdeal(own), TIMES_IDEAL[own]),
    atMost(
      `${what}, on requests that plain Express creates: times the ideal that assigns req.auth`,
      byExpress(own),
      TIMES_IDEAL_BY_EXPRESS,
    ),
  ];
  if (own === 'keyward-token')
    bounds.push(atLeast(`${what}: times as fast as fast-jwt`, times('fast-jwt'), TIMES_AS_FAST_AS_FAST_JWT));
  const bars = subjects
    .filter((subject) => subject !== 'nothing')
    .map((subject) => {
      const { median: value, low, high } = summaryOf(of(subject, 'many'));
      return { label: titles[subject], value, low, high, own: subject.startsWith('keyward') };
    });
  return {
    section: { title: name, table: table(COLUMNS, rows) },
    chart: {
      file: `warm-${name.toLowerCase()}.svg`,
      ...{ title: `Warm, 1,000 credentials, ${name}: nanoseconds per call`, unit: ' ns', logarithmic: true, bars },
    },
    bounds,
  };
}
