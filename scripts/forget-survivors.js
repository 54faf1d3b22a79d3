/**
 * Removes the mutants that no test detected from the results of the last run, so that the next one tries them again. Stryker
 * would take over the result of a static mutant, because it does not know which of the new tests reach it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { report as part } from './mutation-part.js';

const path = new URL(`../reports/mutation/${part}-incremental.json`, import.meta.url);
if (existsSync(path)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter(({ status }) => status !== 'Survived' && status !== 'NoCoverage');
  }
  writeFileSync(path, JSON.stringify(report));
}
