/** From nothing loaded to the first request let pass. */
import { start } from '../measure/processes.js';
import { inRounds } from '../measure/rounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { mintKeys } from '../platform/api-keys.js';
import { spread, table } from '../report/text.js';
import { titlesOf } from './calls.js';

const PROGRAM = new URL('../processes/start-up.js', import.meta.url);
const ALGORITHM = 'RS256';
const SUBJECTS = [
  ...['keyward-token', 'fast-jwt', 'passport-jwt', 'express-jwt', 'express-oauth2-jwt-bearer'].map(of('token')),
  ...['keyward-key', 'passport-http-bearer'].map(of('key')),
];
const MOST_ROUNDS = 8;

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
  const few = { rounds: Math.min(rounds.rounds, MOST_ROUNDS), warmUp: 1 };
  const figures = await inRounds(SUBJECTS, few, measure);
  const titles = await titlesOf(SUBJECTS.map(({ name }) => name));
  const column = (name, figure) => figures[name].map((round) => round[figure]);
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
      'Milliseconds from the import, with Express loaded already, to the middleware, and to the first good request let pass. ' +
      'Those that are told the URL of the JWK Set fetch it in that time; fast-jwt and passport-jwt are given the key.',
    sections: [
      { title: 'milliseconds', table: table(['', 'loaded and made', 'first request', 'times keyward, a token'], rows) },
    ],
    charts: [{ file: 'start-up.svg', title: 'Start-up: milliseconds to the first request', unit: ' ms', bars }],
    bounds: [],
  };
}
