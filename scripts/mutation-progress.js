import { progressLine } from './progress-line.js';

/** A reporter for Stryker: one line on a terminal, which is rewritten after each mutant. */
class MutationProgress {
  #line = progressLine();
  #start = Date.now();
  #total = 0;
  #tested = 0;
  #survived = 0;

  onMutationTestingPlanReady({ mutantPlans }) {
    this.#start = Date.now();
    this.#total = mutantPlans.filter(({ plan }) => plan === 'Run').length;
  }

  onMutantTested({ status }) {
    if (status === 'Ignored') return;
    this.#tested += 1;
    if (status === 'Survived' || status === 'NoCoverage') this.#survived += 1;
    const left = ((Date.now() - this.#start) / this.#tested) * Math.max(0, this.#total - this.#tested);
    const minutes = Math.ceil(left / 60_000);
    this.#line.show(
      `mutants: ${this.#tested} of ${this.#total}, ${this.#survived} survived, about ${minutes} minutes left`,
    );
  }

  onMutationTestReportReady() {
    this.#line.clear();
  }
}

export const strykerPlugins = [{ kind: 'Reporter', name: 'progress-line', injectableClass: MutationProgress }];
