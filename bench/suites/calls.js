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
 * @param measure - Measures one of them in one round.
 */
export function inCalls({ kind, file, files = {}, facts, subjects }, rounds, measure) {
  const begin = (subject) => () =>
    start(PROGRAM, { subject, kind, file: files[subject] ?? file, facts, capacity: CAPACITY }, { name: subject });
  return withProcesses(subjects.map(begin), (running) => inRounds(running, rounds, measure));
}

/** Titles by name. */
export async function titlesOf(names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await subjectOf(name)).title])));
}

/** Those that can verify an algorithm: jsonwebtoken, which two of them stand on, has no EdDSA. */
export function verifiersOf(algorithm, names) {
  return names.filter((name) => algorithm !== 'EdDSA' || !['express-jwt', 'passport-jwt'].includes(name));
}
