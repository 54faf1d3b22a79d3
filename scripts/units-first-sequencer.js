import { statSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** The floor whose mutants are tried: KEYWARD_MUTATION=verify. */
const OWN = process.env.KEYWARD_MUTATION ?? '';
const FIRST = [OWN, 'protocol', 'credentials', 'options', 'express', 'verify'];

/** For mutants: the tests of the floors themselves come first, small files before large ones, as one that fails ends the run. */
export default class UnitsFirstSequencer extends TestSequencer {
  sort(tests) {
    return tests
      .map((test) => ({ test, rank: rankOf(test.path), size: statSync(test.path).size }))
      .sort((one, other) => one.rank - other.rank || one.size - other.size)
      .map(({ test }) => test);
  }
}

function rankOf(path) {
  const [, folder] = /__tests__[\\/](\w+)[\\/]/.exec(path) ?? [];
  const rank = FIRST.indexOf(folder);
  return rank === -1 ? FIRST.length : rank;
}
