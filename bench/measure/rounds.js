/**
 * Measures subjects in rounds: each once a round, one after the other, and every other round backwards, so that none always
 * comes after another. Rounds to warm up are not counted: code is compiled as it gets hot.
 *
 * @param measure - Measures one subject once; called with the subject and the round, counted from 0 over all of them.
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
