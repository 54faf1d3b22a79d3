/** `keyward keys import`: an old key table moves over by its digests, without new keys. */
import type { Command } from 'commander';
import type { ImportReport } from '../management/import-keys.js';
import { type Batches, openTable, type TableLine } from './csv-table.js';
import { CliError, type Io } from './io.js';
import { COLUMNS, checkHeading, inWordsOfATable, keyOf } from './key-columns.js';
import { printJson, printLine, textOfCount } from './output.js';
import { type CommonOptions, inSession, type Session, withStoreOptions } from './session.js';

interface ImportOptions extends CommonOptions {
  readonly account: string;
}

const BATCH = 1_000;
/** Lines refused that are told one by one. */
const MOST_TOLD = 50;

export function addImportCommand(keys: Command, io: Io): void {
  withStoreOptions(keys.command('import <file.csv>').description('move keys over by their SHA-256 digests'))
    .requiredOption('--account <id>', 'whose')
    .addHelpText(
      'after',
      `
Columns, by a heading line: ${COLUMNS.join(', ')}.
digest, kind and apis are needed; lists are separated by spaces, "all" is every one; times are ISO 8601.
Batches of ${BATCH}: where a line of one is refused, none of it is imported. Run it again when the lines are mended:
what is there already is passed over.

Example: keyward keys import keys.csv --account acme`,
    )
    .action(async (file: string, options: ImportOptions) => {
      const batches = await openTable(file, BATCH, checkHeading);
      const { refused, batches_left_out } = await inSession(io, options, async (session) => {
        await session.management.accounts.view(options.account);
        return await importAll(batches, session, options);
      });
      if (refused > 0) {
        const left = `${textOfCount(batches_left_out, 'batch was', 'batches were')} left out`;
        throw new CliError(`${textOfCount(refused, 'line was', 'lines were')} refused; ${left}.`);
      }
    });

  /** Whatever ends it, what was done until then is told. */
  async function importAll(batches: Batches, { store, management, operator }: Session, options: ImportOptions) {
    const counts = { imported: 0, known: 0, refused: 0, batches_left_out: 0 };
    const start = performance.now();
    const seconds = () => Math.round(performance.now() - start) / 1_000;
    const rate = () => Math.round((counts.imported + counts.known) / Math.max(seconds(), 0.001));
    try {
      for await (const batch of batches) {
        const keys = batch.map(({ cells }) => keyOf(cells));
        const report = await management.keys.import(operator, options.account, keys);
        tell(report, batch, counts.refused);
        counts.imported += report.imported;
        counts.known += report.known;
        counts.refused += report.refused.length;
        if (report.refused.length > 0) counts.batches_left_out += 1;
        if (io.stderr.isTTY) io.stderr.write(`\r${counts.imported} imported, ${rate()} a second `);
      }
      if (counts.imported >= BATCH) await store.ledger.analyze();
    } finally {
      if (io.stderr.isTTY) io.stderr.write('\n');
      const { imported, known } = counts;
      if (options.json) printJson(io, { ...counts, seconds: seconds() });
      else printLine(io, `${imported} imported, ${known} were there, in ${seconds()} s (${rate()} a second).`);
    }
    return counts;
  }

  /** Of a line that cannot be read there are no cells, so that it was refused like any other. */
  function tell({ refused }: ImportReport, batch: readonly TableLine[], before: number): void {
    for (const { index, message } of refused.slice(0, Math.max(0, MOST_TOLD - before))) {
      const { number = '?', fault } = batch[index] ?? {};
      io.stderr.write(`line ${number}: ${fault ?? inWordsOfATable(message)}\n`);
    }
  }
}
