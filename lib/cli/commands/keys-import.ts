/**
 * `keyward keys import`: imports the keys of another system. Only their digests are imported, and the keys stay valid.
 */
import type { Command } from 'commander';
import type { ImportReport } from '../../management/keys/import-keys.js';
import { CliError } from '../cli-error.js';
import { formatError } from '../format-error.js';
import { openTable, type Table, type TableLine } from '../import/csv-table.js';
import { COLUMNS, checkHeading, keyOf, withColumnNames } from '../import/key-columns.js';
import type { Io } from '../io.js';
import { readLineNumber } from '../option-values.js';
import { escapeText } from '../terminal/escape-text.js';
import { type Interruption, listenForInterruption } from '../terminal/interruption.js';
import { jsonLine, printJson, printLine, textOfCount } from '../terminal/output.js';
import { progressOn } from '../terminal/progress.js';
import { type CommonOptions, type Session, withStore, withStoreOptions } from '../with-store.js';
import { wrapped } from '../wrapped-text.js';

interface ImportOptions extends CommonOptions {
  readonly account: string;
  readonly fromLine: number;
}

/**
 * The result of an import, as `--json` prints it. `known` counts keys that were already in the database and were
 * skipped.
 */
interface ImportCounts {
  imported: number;
  known: number;
  refused: number;
  batches_not_imported: number;
  seconds: number;
  /** If the import ended early, the line from which it can be resumed; `null` if the whole file was read. */
  resume_at_line: number | null;
}

const BATCH = 1_000;
/** Maximum number of refused lines that are printed. */
const MAX_PRINTED = 50;

export function addImportCommand(keys: Command, io: Io): void {
  withStoreOptions(
    keys
      .command('import <file.csv>')
      .description('import existing keys from a CSV file that contains their SHA-256 digests'),
  )
    .requiredOption('--account <id>', 'the account that the keys belong to')
    .option(
      '--from-line <number>',
      'the number of the line from which to resume an interrupted import',
      readLineNumber,
      2,
    )
    .addHelpText(
      'after',
      wrapped(
        `The first line must contain the column names. The columns are: ${COLUMNS.join(', ')}.`,
        'digest, kind and apis are required; the others are optional. Separate the entries of a list with spaces; "all" means every API or every channel. Write times in ISO 8601.',
        `Lines are imported in batches of ${BATCH}. If any line of a batch is refused, none of the lines of that batch are imported.`,
        'Correct the file and import it again: keys that are already in the database are skipped.',
      ),
    )
    .addHelpText('after', '\nExample: keyward keys import keys.csv --account acme')
    .action(async (file: string, options: ImportOptions) => {
      const counts: ImportCounts = {
        imported: 0,
        known: 0,
        refused: 0,
        batches_not_imported: 0,
        seconds: 0,
        resume_at_line: null,
      };
      try {
        const table = await openTable(file, { size: BATCH, firstLine: options.fromLine }, checkHeading);
        await withStore(io, options, async (session) => {
          await session.management.accounts.view(options.account);
          const interruption = listenForInterruption();
          await importAll(table, counts, session, interruption, options).finally(() => interruption.ignore());
        });
      } catch (error) {
        throw withResumeLine(error, counts);
      } finally {
        if (options.json) printJson(io, counts);
      }
      if (counts.refused > 0) throw new CliError(describeRefused(counts));
    });

  /**
   * Imports all batches. After a signal such as SIGINT, it finishes the current batch, prints the counts, and throws.
   */
  async function importAll(
    { batches, share }: Table,
    counts: ImportCounts,
    { store, management, operator }: Session,
    { received }: Interruption,
    options: ImportOptions,
  ): Promise<void> {
    const progress = progressOn(io.stderr);
    const start = performance.now();
    const rate = () => Math.round((counts.imported + counts.known) / Math.max(counts.seconds, 0.001));
    const stopped = received.then(({ name, exitCode }) => {
      throw new CliError(`the import was interrupted by ${name}`, exitCode);
    });
    counts.resume_at_line = options.fromLine;
    try {
      for (;;) {
        const next = await Promise.race([stopped, batches.next()]);
        if (next.done) break;
        const batch = next.value;
        const report = await management.keys.import(
          operator,
          options.account,
          batch.map(({ cells }) => keyOf(cells)),
        );
        progress.clear();
        printRefused(report, batch, counts.refused, options);
        counts.imported += report.imported;
        counts.known += report.known;
        counts.refused += report.refused.length;
        if (report.refused.length > 0) counts.batches_not_imported += 1;
        counts.resume_at_line = (batch.at(-1)?.number ?? 0) + 1;
        counts.seconds = secondsSince(start);
        const percent = share() === undefined ? '' : `${Math.floor((share() ?? 0) * 100)}%, `;
        progress.show(
          `${percent}${textOfCount(counts.imported, 'key')} imported, ${counts.known} skipped, ${rate()} per second`,
        );
      }
      counts.resume_at_line = null;
      if (counts.imported >= BATCH) await store.repository.analyze();
    } finally {
      progress.clear();
      counts.seconds = secondsSince(start);
      const { imported, known, seconds, refused } = counts;
      const skipped = `${known} skipped (already in the database)`;
      const lines = refused === 0 ? '' : `, ${textOfCount(refused, 'line')} refused`;
      if (!options.json)
        printLine(
          io,
          `${textOfCount(imported, 'key')} imported, ${skipped}${lines}, in ${seconds} s (${rate()} per second)`,
        );
    }
  }

  /**
   * Prints refused lines, at most `MAX_PRINTED` for the whole import. A line that could not be parsed has no cells, so
   * it was refused for a missing field. For such a line, the reason why it could not be parsed is printed instead.
   *
   * @param before - The number of lines that were refused in earlier batches.
   */
  function printRefused(
    { refused }: ImportReport,
    batch: readonly TableLine[],
    before: number,
    { json }: ImportOptions,
  ) {
    for (const { index, message } of refused.slice(0, Math.max(0, MAX_PRINTED - before))) {
      const { number: line, fault } = batch[index] ?? {};
      const why = fault ?? withColumnNames(message);
      io.stderr.write(
        json ? jsonLine({ error: { code: 'invalid', line, message: why } }) : `line ${line}: ${escapeText(why)}\n`,
      );
    }
  }
}

/** Says what was refused, and the remedy. */
function describeRefused({ refused, batches_not_imported }: ImportCounts): string {
  const lines = textOfCount(refused, 'line was', 'lines were');
  const size = `of up to ${BATCH} lines`;
  const batches = textOfCount(batches_not_imported, `batch ${size} was`, `batches ${size} were`);
  return `${lines} refused, so ${batches} not imported; correct the file and import it again`;
}

function withResumeLine(error: unknown, counts: ImportCounts): unknown {
  const { refused, resume_at_line } = counts;
  const formatted = formatError(error);
  if (resume_at_line === null || formatted === undefined) return error;
  // `--from-line` alone would leave out the batches that were not imported.
  const resume =
    refused === 0
      ? `to resume the import, add --from-line ${resume_at_line}`
      : `${describeRefused(counts)}; to import only the rest, add --from-line ${resume_at_line}`;
  return new CliError(`${formatted.message}; ${resume}`, formatted.exitCode);
}

function secondsSince(start: number): number {
  return Math.round(performance.now() - start) / 1_000;
}
