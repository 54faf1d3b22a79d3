/**
 * `npm run bench:token`: the suite of the token endpoint by itself, with more rounds and its own bounds. `--check` exits 1 when
 * a ratio is under its bound.
 */
import { parseArgs } from 'node:util';
import { median, ratioOf } from './measure/statistics.js';
import { CONNECTIONS, SERVERS, timesTheCpu, tokenRounds } from './token-rounds.js';

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
const BOUNDS = { 'oidc-provider': 1.2, bare: 0.85 };

for (const algorithm of values.algorithm) report(algorithm, await tokenRounds(algorithm, rounds, requests));

function report(algorithm, figures) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const of = (name, figure) => figures[name].map((round) => round[figure]);
  say(`${algorithm}: ${rounds.rounds} rounds of ${requests} requests, ${CONNECTIONS} at once`);
  for (const name of SERVERS) {
    const [rate, cost] = ['rate', 'cost'].map((figure) => Math.round(median(of(name, figure))));
    say(`  ${name}: ${rate} answers per second, ${cost} µs of CPU each`);
  }
  say(`  one signature: ${Math.round(median(of('signature', 'cost')))} µs of CPU`);
  for (const [name, bound] of Object.entries(BOUNDS)) {
    const { median: ratio } = ratioOf(of('keyward', 'rate'), of(name, 'rate'));
    const held = ratio >= bound;
    say(`  ${held ? 'ok    ' : 'MISSED'} keyward / ${name}: ${ratio.toFixed(2)} (at least ${bound})`);
    say(`         CPU of ${name} / keyward: ${median(timesTheCpu(figures, name)).toFixed(2)}`);
    const rest = timesTheCpu(figures, name, { besideTheSignature: true });
    say(`         beside the signature: ${median(rest).toFixed(2)}`);
    if (!held && values.check) process.exitCode = 1;
  }
}
