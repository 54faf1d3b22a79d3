/** `keyward keys import`: an old key table moves over by its digests, without new keys. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import type { Command } from 'commander';
import type { ImportedKey, ImportReport } from '../management/import-keys.js';
import { optionalPackage } from '../store/optional-package.js';
import { CliError, EXIT, type Io } from './io.js';
import { printJson, printLine } from './output.js';
import { type CommonOptions, inSession, withStoreOptions } from './session.js';

interface ImportOptions extends CommonOptions {
  readonly account: string;
}

const COLUMNS = [
  ...['digest', 'kind', 'id', 'environment', 'name', 'apis', 'scopes', 'channels', 'platform', 'hint'],
  ...['created_at', 'expires_at'],
];
const BATCH = 1_000;
/** Lines refused that are told one by one. */
const MOST_TOLD = 50;

interface Line {
  readonly number: number;
  readonly key: ImportedKey;
}

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
      const total = await inSession(io, options, async ({ store, management, operator }) => {
        const counts = { imported: 0, known: 0, refused: 0, batches_left_out: 0 };
        const start = performance.now();
        for await (const batch of batchesOf(file)) {
          const given = batch.map(({ key }) => key);
          const report = await management.keys.import(operator, options.account, given);
          tell(report, batch, counts.refused);
          counts.imported += report.imported;
          counts.known += report.known;
          counts.refused += report.refused.length;
          if (report.refused.length > 0) counts.batches_left_out += 1;
          const rate = Math.round((counts.imported + counts.known) / ((performance.now() - start) / 1_000));
          if (io.stderr.isTTY) io.stderr.write(`\r${counts.imported} imported, ${rate} a second `);
        }
        if (io.stderr.isTTY) io.stderr.write('\n');
        if (counts.imported >= BATCH) await store.ledger.analyze();
        return { ...counts, seconds: Math.round(performance.now() - start) / 1_000 };
      });
      if (options.json) printJson(io, total);
      else {
        const { imported, known, seconds } = total;
        const rate = Math.round((imported + known) / Math.max(seconds, 0.001));
        printLine(io, `${imported} imported, ${known} were there, in ${seconds} s (${rate} a second).`);
      }
      if (total.refused > 0) {
        throw new CliError(`${total.refused} lines were refused; ${total.batches_left_out} batches were left out.`);
      }
    });

  function tell({ refused }: ImportReport, batch: readonly Line[], before: number): void {
    for (const { index, message } of refused.slice(0, Math.max(0, MOST_TOLD - before))) {
      io.stderr.write(`line ${batch[index]?.number ?? '?'}: ${message}\n`);
    }
  }
}

async function* batchesOf(file: string): AsyncGenerator<readonly Line[]> {
  const load = () => import('csv-parse');
  const { parse } = await optionalPackage(load, 'keyward keys import', 'csv-parse');
  const parser = parse({ columns: readHeading, info: true, bom: true, trim: true });
  // What becomes of the file reaches the parser, and so the loop below.
  pipeline(createReadStream(file), parser, () => undefined);
  let batch: Line[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: Cells; info: { lines: number } }>) {
      batch.push({ number: info.lines, key: keyOf(record) });
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code === 'string') throw new CliError(`${file}: ${message}`, EXIT.usage);
    throw error;
  }
  if (batch.length > 0) yield batch;
}

type Cells = Readonly<Record<string, string | undefined>>;

function readHeading(names: readonly string[]): string[] {
  const unknown = names.filter((name) => !COLUMNS.includes(name));
  const missing = ['digest', 'kind', 'apis'].filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new CliError(`There is no column ${unknown.join(', ')}; there are ${COLUMNS.join(', ')}.`, EXIT.usage);
  if (missing.length > 0) throw new CliError(`The column ${missing.join(', ')} is missing.`, EXIT.usage);
  return [...names];
}

/** What the cells say, unchecked: management refuses what is wrong. */
function keyOf(cells: Cells): ImportedKey {
  const { digest = '', kind, created_at, expires_at, apis, scopes, channels, ...rest } = filled(cells);
  return {
    ...(rest as object),
    ...{ digest: digest.toLowerCase(), kind: kind as 'secret', apis: listOf(apis) ?? [] },
    ...(scopes !== undefined && { scopes: scopes.split(/\s+/) }),
    ...(channels !== undefined && { channels: listOf(channels) ?? [] }),
    ...(created_at !== undefined && { createdAt: new Date(created_at) }),
    ...(expires_at !== undefined && { expiresAt: new Date(expires_at) }),
  };
}

function filled(cells: Cells): Cells {
  return Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== ''));
}

function listOf(cell: string | undefined): 'all' | readonly string[] | undefined {
  return cell === undefined || cell === 'all' ? cell : cell.split(/\s+/);
}
