/**
 * `npm run bench:token`: the suite of the token endpoint by itself, with more rounds and its own bounds. `--check` exits 1 when
 * a ratio is under its bound.
 */
import { parseArgs } from 'node:util';
import { stayOnFirst } from './measure/cores.js';
import { median, ratioOf } from './measure/statistics.js';
import { BOUNDS, CONNECTIONS, SERVERS, timesTheCpu, tokenRounds } from './token-rounds.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    requests: { type: 'string', default: '250' },
    algorithm: { type: 'string', multiple: true, default: ['RS256', 'ES256'] },
    check: { type: 'boolean', default: false },
  },
});
const rounds = { rounds: Number(values.rounds), warmUp: 20 };
const requests = Number(values.requests);

stayOnFirst();
for (const algorithm of values.algorithm) report(algorithm, await tokenRounds(algorithm, rounds, requests));

function report(algorithm, figures) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const of = (name, figure) => figures[name].map((round) => round[figure]);
  say(`${algorithm}: ${rounds.rounds} rounds of ${requests} requests, ${CONNECTIONS} at once`);
  for (const [name, title] of Object.entries(SERVERS)) {
    const [rate, cost] = ['rate', 'cost'].map((figure) => Math.round(median(of(name, figure))));
    say(`  ${title}: ${rate} answers per second, ${cost} µs of CPU each`);
  }
  say(`  one signature: ${Math.round(median(of('signature', 'cost')))} µs of CPU`);
  for (const { of: one, beside, least } of BOUNDS) {
    const { median: ratio } = ratioOf(of(one, 'rate'), of(beside, 'rate'));
    const held = ratio >= least;
    say(
      `  ${held ? 'ok    ' : 'MISSED'} ${SERVERS[one]} / ${SERVERS[beside]}: ${ratio.toFixed(2)} (at least ${least})`,
    );
    say(`         CPU of the second / the first: ${median(timesTheCpu(figures, one, beside)).toFixed(2)}`);
    const rest = timesTheCpu(figures, one, beside, { besideTheSignature: true });
    say(`         beside the signature: ${median(rest).toFixed(2)}`);
    if (!held && values.check) process.exitCode = 1;
  }
  const crosswise = ratioOf(of('keyward', 'rate'), of('oidc-provider-alone', 'rate'));
  say(`  keyward in an app / oidc-provider without one: ${crosswise.median.toFixed(2)}`);
}
