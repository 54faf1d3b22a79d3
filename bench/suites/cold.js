/** The middleware alone, for credentials that it has never met. */
import { atMost } from '../measure/bounds.js';
import { differenceOf, ratioOf, summaryOf } from '../measure/statistics.js';
import { ALGORITHMS } from '../platform/issuer.js';
import { digits, spread, table } from '../report/text.js';
import { inCalls, titlesOf, verifiersOf } from './calls.js';

const OF_TOKENS = ['jose', 'keyward-token', 'express-oauth2-jwt-bearer', 'express-jwt', 'passport-jwt', 'fast-jwt'];
const OF_KEYS = ['resolver', 'keyward-key'];
/** How many times the CPU of `jose.jwtVerify` a new token may cost. */
const TIMES_JOSE = { RS256: 0.85, ES256: 0.95, EdDSA: 0.95 };
const TIMES_FAST_JWT = { RS256: 1.15 };
/** Microseconds that a new key may cost beside its resolver. */
const OVER_RESOLVER = 10;
const IN_FLIGHT = [1, 16];
/** Credentials that one figure of a round takes: a turn so long that finding the processor's caches full of others is little of it. */
const COUNT = 500;
/** Each credential comes once, so that the code gets hot slowly: so many times the rounds to warm up that other suites have. */
const LONGER = 3;
/**
 * Processes of each subject. One alone accepted 36,000 tokens in a run, and what its collector does for so many cached ones is a part
 * of its later rounds; `jose.jwtVerify` keeps none.
 */
const PROCESSES = 4;

export async function cold({ issuer, folder, rounds: { rounds: counted, warmUp } }) {
  const rounds = { rounds: counted, warmUp: warmUp * LONGER, processes: PROCESSES };
  const needed = (Math.ceil(rounds.rounds / PROCESSES) + rounds.warmUp) * IN_FLIGHT.length * COUNT;
  const titles = await titlesOf([...OF_TOKENS, ...OF_KEYS]);
  const ofTokens = (algorithm) => ({
    ...{ kind: 'token', file: folder.tokens(issuer, algorithm, { warm: 2, cold: needed }) },
    ...{ facts: issuer.facts(algorithm), subjects: verifiersOf(algorithm, OF_TOKENS) },
  });
  const groups = {
    ...Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, ofTokens(algorithm)])),
    keys: { kind: 'key', file: folder.keys({ warm: 2, cold: needed }), subjects: OF_KEYS },
  };
  const figures = await inCalls(groups, rounds, measure);
  const tokens = ALGORITHMS.map((algorithm) =>
    partOf(algorithm, groups[algorithm].subjects, figures[algorithm], titles),
  );
  const parts = [...tokens, keysPart(figures.keys, titles)];
  return {
    title: 'The middleware alone, cold',
    text:
      'Microseconds of CPU per call with new credentials, one at a time and 16 in flight. `jose.jwtVerify` has its key already, ' +
      'and two of the other packages call it. The resolver of API keys is a Map behind a promise.',
    sections: parts.map(({ section }) => section),
    charts: tokens.map(({ chart }) => chart),
    bounds: parts.flatMap(({ bounds }) => bounds),
  };
}

async function measure(subject, round) {
  const calls = {};
  for (const [index, inFlight] of IN_FLIGHT.entries()) {
    const from = (round * IN_FLIGHT.length + index) * COUNT;
    calls[inFlight] = await subject.ask('callsCold', { from, count: COUNT, inFlight });
  }
  return calls;
}

const of = (figures, subject, inFlight) => figures[subject].map((round) => round[inFlight]);

function partOf(algorithm, subjects, figures, titles) {
  const toJose = (subject, inFlight) => ratioOf(of(figures, subject, inFlight), of(figures, 'jose', inFlight));
  const rows = subjects.map((subject) => [
    titles[subject],
    ...IN_FLIGHT.flatMap((inFlight) => [
      ...[digits(summaryOf(of(figures, subject, inFlight)).median), spread(toJose(subject, inFlight))],
    ]),
  ]);
  const bars = subjects.map((subject) => {
    const { median: value, low, high } = summaryOf(of(figures, subject, 1));
    return { label: titles[subject], value, low, high, own: subject.startsWith('keyward') };
  });
  const limits = {
    jose: TIMES_JOSE[algorithm],
    'express-oauth2-jwt-bearer': 1,
    'fast-jwt': TIMES_FAST_JWT[algorithm],
  };
  const toPeer = (peer, inFlight) => ratioOf(of(figures, 'keyward-token', inFlight), of(figures, peer, inFlight));
  return {
    section: {
      title: algorithm,
      table: table(['', 'µs, 1', 'times jose, 1', 'µs, 16', 'times jose, 16'], rows),
    },
    chart: {
      file: `cold-${algorithm.toLowerCase()}.svg`,
      title: `Cold, ${algorithm}: microseconds a call`,
      unit: ' µs',
      bars,
    },
    bounds: Object.entries(limits)
      .filter(([, limit]) => limit !== undefined)
      .flatMap(([peer, limit]) =>
        IN_FLIGHT.map((inFlight) =>
          atMost(
            `a new token, ${algorithm}, ${inFlight} in flight: times ${titles[peer]}`,
            toPeer(peer, inFlight),
            limit,
          ),
        ),
      ),
  };
}

function keysPart(figures, titles) {
  const rows = OF_KEYS.map((subject) => [
    titles[subject],
    ...IN_FLIGHT.map((inFlight) => spread(summaryOf(of(figures, subject, inFlight)))),
  ]);
  const over = (inFlight) => differenceOf(of(figures, 'keyward-key', inFlight), of(figures, 'resolver', inFlight));
  return {
    section: { title: 'keys', table: table(['', 'µs, 1', 'µs, 16'], rows) },
    bounds: IN_FLIGHT.map((inFlight) =>
      atMost(`a new key, ${inFlight} in flight: over its resolver`, over(inFlight), OVER_RESOLVER, ' µs'),
    ),
  };
}
