/**
 * Measures subjects in rounds: each once a round, one after the other, and every other round backwards, so that none always
 * comes after another. Rounds to warm up are not counted: code is compiled as it gets hot.
 *
 * @param measure - Measures one subject once; called with the subject and the round, counted from 0 with those to warm up.
 * @returns For each subject, by its name, what was measured of it in each round.
 */
export async function inRounds(subjects, { rounds, warmUp }, measure) {
  const measured = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const figure = await measure(subject, round);
      if (round >= warmUp) measured[subject.name].push(figure);
    }
  }
  return measured;
}

/**
 * Measures with several processes for each subject, one after the other: V8 optimizes the same code differently from process to
 * process, by up to a tenth of a short call.
 *
 * @param rounds - `rounds`, of all processes together, and `processes`; default: 1. `warmUp`: of each process.
 * @param measure - Starts the processes, and measures them in the rounds that it is given, with `inRounds`.
 * @returns As `inRounds`, with the rounds of all processes.
 */
export async function inParts({ rounds, warmUp, processes = 1 }, measure) {
  const measured = {};
  for (let left = rounds, turns = Math.min(processes, rounds); turns > 0; turns -= 1) {
    const part = { rounds: Math.round(left / turns), warmUp };
    left -= part.rounds;
    for (const [name, figures] of Object.entries(await measure(part))) {
      measured[name] = [...(measured[name] ?? []), ...figures];
    }
  }
  return measured;
}
