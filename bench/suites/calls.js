/** Processes that call one subject each: what the suites without HTTP are made of. */
import { start, withProcesses } from '../measure/processes.js';
import { inRounds } from '../measure/rounds.js';
import { subjectOf } from '../subjects.js';

const PROGRAM = new URL('../processes/call.js', import.meta.url);

/** What a cache may hold, for every subject that has one: nothing is pushed out. */
export const CAPACITY = 100_000;
/**
 * Measures subjects that hold the same credentials.
 *
 * @param group - `kind` of the credentials, their `file`, or the `files` of subjects that need others, the `facts` of the issuer, and the names of the `subjects`.
 * @param rounds - `processes`: how many each subject has, one after the other; default: 1. V8 optimizes the same code differently
 *   from process to process, by up to a tenth of a short call.
 * @param measure - Measures one of them in one round.
 */
export async function inCalls({ kind, file, files = {}, facts, subjects }, { rounds, warmUp, processes = 1 }, measure) {
  const begin = (subject) => () =>
    start(PROGRAM, { subject, kind, file: files[subject] ?? file, facts, capacity: CAPACITY }, { name: subject });
  const measured = Object.fromEntries(subjects.map((subject) => [subject, []]));
  for (let left = rounds, turns = processes; turns > 0; turns -= 1) {
    const part = { rounds: Math.round(left / turns), warmUp };
    left -= part.rounds;
    const figures = await withProcesses(subjects.map(begin), (running) => inRounds(running, part, measure));
    for (const subject of subjects) measured[subject].push(...figures[subject]);
  }
  return measured;
}

/** Titles by name. */
export async function titlesOf(names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await subjectOf(name)).title])));
}

/** Those that can verify an algorithm: jsonwebtoken, which two of them stand on, has no EdDSA. */
export function verifiersOf(algorithm, names) {
  return names.filter((name) => algorithm !== 'EdDSA' || !['express-jwt', 'passport-jwt'].includes(name));
}
