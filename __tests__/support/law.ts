import { expect, it } from '@jest/globals';
import fc from 'fast-check';

/** Fewer for Stryker, which tries every test once a mutant, and asks whether it fails, not by how little. */
const ON_MUTANT = process.env.STRYKER_MUTATOR_WORKER !== undefined;
const TRIES = Number(process.env.KEYWARD_SOAK_RUNS ?? (ON_MUTANT ? 500 : 10_000));
/** Milliseconds: thirty for each try, which on a busy machine is some ten times what the slowest law takes. */
const TIMEOUT_MS = Math.max(ON_MUTANT ? 15_000 : 60_000, 30 * TRIES);

export interface LawOptions {
  /** How many values one run of the property tries: 1. */
  readonly triesPerRun?: number;
}

/**
 * A test of a property that holds for whatever is drawn. `npm test` tries each law 10,000 times; `npm run soak`, which
 * knows them by the end of their names, 1,000,000 times. One that fails prints the smallest value for which it does,
 * and the seed to draw it again.
 *
 * @param property - Makes the property when the law is tried: it may use what `beforeAll` made.
 */
export function law<Ts>(name: string, property: () => fc.IRawProperty<Ts>, { triesPerRun = 1 }: LawOptions = {}): void {
  it(
    `${name} (law)`,
    async () => {
      const numRuns = Math.ceil(TRIES / triesPerRun);
      // After a failure, fast-check looks for a smaller value. This may take hours, and no timeout of Jest fires meanwhile.
      const plugins = [fc.interruptAfterTimeLimit(TIMEOUT_MS * 0.9, { failOnInterrupt: true })];
      const tried = async () => fc.assert(property(), { numRuns, endOnFailure: ON_MUTANT, plugins });
      await expect(tried()).resolves.toBeUndefined();
    },
    TIMEOUT_MS,
  );
}
