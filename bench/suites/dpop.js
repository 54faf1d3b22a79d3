/** The middleware alone, for tokens that are bound to a key, with a new DPoP proof for each request. */
import { atMost } from '../measure/bounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { proofClient } from '../platform/proofs.js';
import { digits, spread, table } from '../report/text.js';
import { inCalls, titlesOf } from './calls.js';

const UNBOUND = ['keyward-token', 'keyward-token-dpop'];
const SUBJECTS = ['one-es256', 'keyward-dpop', 'express-oauth2-jwt-bearer-dpop'];
const ALGORITHM = 'ES256';
/** How many times the CPU of one ES256 verification a request with a cached token may cost. */
const TIMES_ES256 = 1.25;
const TIMES_PEER = 0.8;
/** How many times a token that is not bound may cost where DPoP is offered. */
const TIMES_UNBOUND = 1.03;
/** Requests that one figure of a round takes. */
const COUNT = 200;
/** Times the rounds to warm up of other suites: code for proofs is compiled until about 5,000 calls, and 8,000 are made. */
const LONGER = 10;
const CREDENTIALS = 1_000;
/**
 * Processes of each subject, for tokens that are not bound, and times the rounds that other suites have: with 4 and 24 rounds, runs
 * gave 1.01 to 1.06; with 12 and 48, 1.015 to 1.022.
 */
const PROCESSES = 12;
const MORE = 2;
/** Milliseconds that one figure of a round takes, of a token that is not bound. */
const TIME = 100;

export async function dpop({ issuer, folder, rounds: { rounds: counted, warmUp } }) {
  const rounds = { rounds: counted, warmUp: warmUp * LONGER };
  const needed = (rounds.rounds + rounds.warmUp) * COUNT;
  const titles = await titlesOf([...SUBJECTS, ...UNBOUND]);
  const facts = issuer.facts(ALGORITHM);
  const bound = (tokenOf) => ({
    ...{ kind: 'token', file: folder.proofs(issuer, ALGORITHM, { client: proofClient(), cold: needed, tokenOf }) },
    ...{ facts, subjects: SUBJECTS },
  });
  // One token for all requests, which is cached; and one token for each.
  const groups = { warm: bound(() => 0), cold: bound((request) => request + 1) };
  const { warm, cold } = await inCalls(groups, rounds, (subject, round) =>
    subject.ask('callsCold', { from: round * COUNT, count: COUNT, inFlight: 1 }),
  );
  const file = folder.tokens(issuer, ALGORITHM, { warm: CREDENTIALS });
  const { unbound } = await inCalls(
    { unbound: { kind: 'token', file, facts, subjects: UNBOUND } },
    { rounds: counted * MORE, warmUp, processes: PROCESSES },
    (subject) => subject.ask('callsWarm', { credentials: CREDENTIALS, made: 'app', milliseconds: TIME }),
  );

  const toSignature = (figures, subject) => ratioOf(figures[subject], figures['one-es256']);
  const rows = SUBJECTS.map((subject) => [
    titles[subject],
    ...[warm, cold].flatMap((figures) => [
      digits(summaryOf(figures[subject]).median),
      spread(toSignature(figures, subject)),
    ]),
  ]);
  const [without, offered] = UNBOUND;
  const offers = ratioOf(unbound[offered], unbound[without]);
  const unboundRows = UNBOUND.map((subject) => [titles[subject], digits(summaryOf(unbound[subject]).median)]);
  const peer = 'express-oauth2-jwt-bearer-dpop';
  const what = 'a cached token with a new proof';
  return {
    title: 'DPoP',
    text:
      'Microseconds of CPU for a request with a new ES256 proof, with a cached token and with a new one. keyward also stores the ' +
      'ID of the proof, so that no proof is accepted twice; express-oauth2-jwt-bearer leaves that to the application, and ' +
      'verifies the token each time.',
    sections: [
      {
        title: ALGORITHM,
        table: table(['', 'µs, cached token', 'times one ES256', 'µs, new token', 'times one ES256'], rows),
      },
      { title: 'tokens that are not bound', table: table(['', 'ns, cached token'], unboundRows) },
    ],
    bounds: [
      atMost(`${what}: times ${titles['one-es256']}`, toSignature(warm, 'keyward-dpop'), TIMES_ES256),
      atMost(`${what}: times ${titles[peer]}`, ratioOf(warm['keyward-dpop'], warm[peer]), TIMES_PEER),
      atMost(`${titles[offered]}: times ${titles[without]}`, offers, TIMES_UNBOUND),
    ],
  };
}
