/** Bytes that a cached credential takes. */
import { atMost, once } from '../measure/bounds.js';
import { start } from '../measure/processes.js';
import { summaryOf } from '../measure/statistics.js';
import { spread, table } from '../report/text.js';
import { titlesOf } from './calls.js';

const PROGRAM = new URL('../processes/fill.js', import.meta.url);
const ALGORITHM = 'EdDSA';
const SUBJECTS = [
  { subject: 'keyward-token', kind: 'token', limit: 500 },
  { subject: 'fast-jwt', kind: 'token' },
  { subject: 'keyward-key', kind: 'key', limit: 450 },
];
const COUNT = 20_000;
const FIRST = 2_000;
/** Times that each is measured, in a new process each time. */
const TIMES = 3;

export async function memory({ issuer, folder, scale }) {
  const count = Math.max(4_000, COUNT * scale);
  const files = {
    token: folder.lines(issuer.tokens(ALGORITHM, FIRST + count)),
    key: folder.lines(folder.minted(FIRST + count)),
  };
  const titles = await titlesOf(SUBJECTS.map(({ subject }) => subject));
  const figures = [];
  for (const { subject, kind, limit } of SUBJECTS) {
    const given = { subject, kind, file: files[kind], facts: issuer.facts(ALGORITHM) };
    const [bytes, readable] = [[], []];
    for (let time = 0; time < TIMES; time += 1) {
      const running = await start(PROGRAM, given, { name: subject, execArgv: ['--expose-gc'] });
      bytes.push(await running.ask('fill', { count }));
      if (time === 0) readable.push(await running.ask('readable'));
      await running.stop();
    }
    figures.push({ title: titles[subject], limit, bytes: summaryOf(bytes), readable: readable[0] });
  }
  const own = figures.filter(({ limit }) => limit !== undefined);
  return {
    title: 'Memory',
    text:
      `Bytes of heap for each of ${count.toLocaleString('en')} cached credentials, including its share of the cache. Each token has nine ` +
      'claims and another client; each key has another account. A heap snapshot was searched for 100 of them.',
    sections: [
      {
        title: 'a cached credential',
        table: table(
          ['', 'bytes', 'credentials read in the heap, of 100'],
          figures.map(({ title, bytes, readable }) => [title, spread(bytes), readable]),
        ),
      },
    ],
    bounds: own.flatMap(({ title, limit, bytes, readable }) => [
      atMost(`${title}: bytes for a cached one`, bytes, limit),
      atMost(`${title}: credentials read in the heap`, once(readable), 0),
    ]),
  };
}
