/** The middleware alone, for tokens that are bound to a key, with a new DPoP proof for each request. */
import { atMost } from '../measure/bounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { proofClient } from '../platform/proofs.js';
import { digits, spread, table } from '../report/text.js';
import { inCalls, titlesOf } from './calls.js';

const SUBJECTS = ['one-es256', 'keyward-dpop', 'express-oauth2-jwt-bearer-dpop'];
const ALGORITHM = 'ES256';
/** How many times the CPU of one ES256 verification a request with a cached token may cost. */
const TIMES_ES256 = 1.25;
const TIMES_PEER = 0.8;
/** Requests that one figure of a round takes. */
const COUNT = 200;
const LONGER = 3;

export async function dpop({ issuer, folder, rounds: { rounds: counted, warmUp } }) {
  const rounds = { rounds: counted, warmUp: warmUp * LONGER };
  const needed = (rounds.rounds + rounds.warmUp) * COUNT;
  const titles = await titlesOf(SUBJECTS);
  const facts = issuer.facts(ALGORITHM);
  const measured = async (tokenOf) => {
    const file = folder.proofs(issuer, ALGORITHM, { client: proofClient(), cold: needed, tokenOf });
    const ask = (subject, round) => subject.ask('callsCold', { from: round * COUNT, count: COUNT, inFlight: 1 });
    return await inCalls({ kind: 'token', file, facts, subjects: SUBJECTS }, rounds, ask);
  };
  // One token for all requests, which is cached; and one token for each.
  const [warm, cold] = [await measured(() => 0), await measured((request) => request + 1)];

  const toSignature = (figures, subject) => ratioOf(figures[subject], figures['one-es256']);
  const rows = SUBJECTS.map((subject) => [
    titles[subject],
    ...[warm, cold].flatMap((figures) => [
      digits(summaryOf(figures[subject]).median),
      spread(toSignature(figures, subject)),
    ]),
  ]);
  const peer = 'express-oauth2-jwt-bearer-dpop';
  const what = 'a cached token with a new proof';
  return {
    title: 'DPoP',
    text:
      'Microseconds of CPU for a request with a new ES256 proof, with a cached token and with a new one. keyward also notes the proof, ' +
      'so that it is accepted once; express-oauth2-jwt-bearer leaves that to its user, and verifies the token each time.',
    sections: [
      {
        title: ALGORITHM,
        table: table(['', 'µs, cached token', 'times one ES256', 'µs, new token', 'times one ES256'], rows),
      },
    ],
    bounds: [
      atMost(`${what}: times ${titles['one-es256']}`, toSignature(warm, 'keyward-dpop'), TIMES_ES256),
      atMost(`${what}: times ${titles[peer]}`, ratioOf(warm['keyward-dpop'], warm[peer]), TIMES_PEER),
    ],
  };
}
