/**
 * `npm run bench`: keyward beside what a user would pick instead, in one run on one machine. Prints tables, and writes
 * docs/performance.md and its charts from the same figures. With `--check` it exits 1 when a bound is missed.
 *
 * `--only warm`, more than once if wanted, runs suites by name, `--quick` all of them with few rounds, `--rounds 40` as many as
 * is said; these print, and write nothing.
 */
import { parseArgs } from 'node:util';
import { progressLine } from '../scripts/progress-line.js';
import { missedOf } from './measure/bounds.js';
import { stayOnFirst } from './measure/cores.js';
import { credentialFolder } from './platform/credentials.js';
import { openIssuer } from './platform/issuer.js';
import { sectionOf, writePage } from './report/page.js';
import { additions } from './suites/additions.js';
import { cold } from './suites/cold.js';
import { dpop } from './suites/dpop.js';
import { flood } from './suites/flood.js';
import { growth } from './suites/growth.js';
import { http } from './suites/http.js';
import { memory } from './suites/memory.js';
import { startUp } from './suites/start-up.js';
import { tokenEndpoint } from './suites/token-endpoint.js';
import { warm } from './suites/warm.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
// Start-up is first, because its bound is a time: a slow phase of the machine is then seen after half a minute, not after an hour.
const suites = {
  'start-up': startUp,
  warm,
  cold,
  dpop,
  additions,
  http,
  memory,
  flood,
  growth,
  'token-endpoint': tokenEndpoint,
};
const chosen = values.only ?? Object.keys(suites);
const unknown = chosen.find((name) => suites[name] === undefined);
if (unknown !== undefined) throw new Error(`no suite is called ${unknown}: ${Object.keys(suites).join(', ')}`);

/** Rounds of each suite, those to warm up, and how large what is filled or flooded is. */
const rounds = { rounds: Number(values.rounds ?? (values.quick ? 5 : 24)), warmUp: values.quick ? 2 : 4 };
const scale = values.quick ? 0.1 : 1;

stayOnFirst();
const began = performance.now();
const [issuer, folder] = [await openIssuer(), credentialFolder()];
const results = [];
const progress = progressLine();
try {
  for (const [index, name] of chosen.entries()) {
    progress.show(`suite ${index + 1} of ${chosen.length}: ${name}`);
    const result = await suites[name]({ issuer, folder, rounds, scale });
    progress.clear();
    results.push(result);
    process.stdout.write(`${sectionOf(result)}\n`);
  }
} finally {
  issuer.close();
  folder.remove();
}

const seconds = Math.round((performance.now() - began) / 1_000);
const missed = missedOf(results);
const isWhole = values.only === undefined && values.rounds === undefined && !values.quick;
if (isWhole) writePage(results, { rounds, seconds });
process.stdout.write(missed.length === 0 ? 'every bound held' : `${missed.length} bounds missed`);
process.stdout.write(`, after ${seconds} s\n`);
if (values.check && missed.length > 0) process.exitCode = 1;
