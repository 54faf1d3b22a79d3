/** Processes that call one subject each: what the suites without HTTP are made of. */
import { start, withProcesses } from '../measure/processes.js';
import { inParts, inRounds } from '../measure/rounds.js';
import { subjectOf } from '../subjects.js';

const PROGRAM = new URL('../processes/call.js', import.meta.url);

/** What a cache may hold, for every subject that has one: nothing is pushed out. */
export const CAPACITY = 100_000;

/**
 * Measures groups of subjects that hold the same credentials. With several processes, groups take turns, so that what slows the
 * machine for a minute falls on a part of the rounds of each.
 *
 * @param groups - By name: `kind` of the credentials, their `file`, or the `files` of subjects that need others, the `facts` of the
 *   issuer, the names of the `subjects`, and `execArgv`, for the arguments of Node.
 * @param rounds - As for `inParts`.
 * @param measure - Measures one of them in one round.
 * @returns For each group, by its name, what was measured of each subject.
 */
export async function inCalls(groups, rounds, measure) {
  const all = await inParts(rounds, async (part) => {
    const figures = {};
    for (const [name, group] of Object.entries(groups)) {
      const measured = await withProcesses(starts(group), (running) => inRounds(running, part, measure));
      for (const [subject, values] of Object.entries(measured)) figures[nameIn(name, subject)] = values;
    }
    return figures;
  });
  const of = (name, { subjects }) => subjects.map((subject) => [subject, all[nameIn(name, subject)]]);
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, Object.fromEntries(of(name, group))]));
}

const nameIn = (group, subject) => `${group} ${subject}`;

function starts({ kind, file, files = {}, facts, subjects, execArgv }) {
  return subjects.map(
    (subject) => () =>
      start(
        PROGRAM,
        { subject, kind, file: files[subject] ?? file, facts, capacity: CAPACITY },
        { name: subject, execArgv },
      ),
  );
}

/** Titles by name. */
export async function titlesOf(names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await subjectOf(name)).title])));
}

/** Those that can verify an algorithm: jsonwebtoken, which two of them stand on, has no EdDSA. */
export function verifiersOf(algorithm, names) {
  return names.filter((name) => algorithm !== 'EdDSA' || !['express-jwt', 'passport-jwt'].includes(name));
}
