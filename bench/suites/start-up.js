/** From nothing loaded to the first accepted request. */
import { atMost } from '../measure/bounds.js';
import { start } from '../measure/processes.js';
import { inRounds } from '../measure/rounds.js';
import { differenceOf, ratioOf, summaryOf } from '../measure/statistics.js';
import { mintKeys } from '../platform/api-keys.js';
import { spread, table } from '../report/text.js';
import { titlesOf } from './calls.js';

const PROGRAM = new URL('../processes/start-up.js', import.meta.url);
const ALGORITHM = 'RS256';
const SUBJECTS = [
  of('token')('nothing'),
  ...['keyward-token', 'fast-jwt', 'passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'].map(of('token')),
  ...['keyward-key', 'passport-http-bearer'].map(of('key')),
];
const MAX_ROUNDS = 8;
/** Milliseconds that loading keyward may add to loading Express. */
const LOADED_MORE = 30;

function of(kind) {
  return (name) => ({ name, kind });
}

export async function startUp({ issuer, rounds }) {
  const credentials = { token: issuer.token(ALGORITHM), key: mintKeys(1)[0] };
  const measure = async ({ name, kind }) => {
    const given = { subject: name, kind, credential: credentials[kind], facts: issuer.facts(ALGORITHM) };
    const running = await start(PROGRAM, given, { name });
    await running.stop();
    return running.first;
  };
  const few = { rounds: Math.min(rounds.rounds, MAX_ROUNDS), warmUp: 1 };
  const figures = await inRounds(SUBJECTS, few, measure);
  const titles = await titlesOf(SUBJECTS.map(({ name }) => name));
  const column = (name, figure) => figures[name].map((round) => round[figure]);
  const loadedMore = (name) => differenceOf(column(name, 'loading'), column('nothing', 'loading'));
  const rows = SUBJECTS.map(({ name }) => [
    ...[titles[name], ...['loading', 'first'].map((figure) => spread(summaryOf(column(name, figure))))],
    spread(ratioOf(column(name, 'first'), column('keyward-token', 'first'))),
  ]);
  const bars = SUBJECTS.map(({ name }) => {
    const { median: value, low, high } = summaryOf(column(name, 'first'));
    return { label: titles[name], value, low, high, own: name.startsWith('keyward') };
  });
  return {
    title: 'Start-up',
    text:
      'Milliseconds from the import to the finished middleware, and to the first accepted request; Express is already loaded. ' +
      'Packages that are configured with the URL of a JWK Set fetch it during this time; fast-jwt and passport-jwt are given the key.',
    sections: [
      {
        title: 'milliseconds',
        table: table(['', 'loaded and created', 'first request', 'times keyward, a token'], rows),
      },
    ],
    charts: [{ file: 'start-up.svg', title: 'Start-up: milliseconds to the first request', unit: ' ms', bars }],
    bounds: [
      atMost('loading keyward: more than Express', loadedMore('keyward-token'), LOADED_MORE, ' ms'),
      ...['loading', 'first'].map((figure) =>
        atMost(
          `${figure === 'loading' ? 'loading' : 'first request with a fetched JWK Set'}: times express-oauth2-jwt-bearer`,
          ratioOf(column('keyward-token', figure), column('express-oauth2-jwt-bearer', figure)),
          1,
        ),
      ),
    ],
  };
}
