/** Reads a table of comma-separated values, line by line: one that cannot be read is told of, and the next one goes on. */
import { createReadStream } from 'node:fs';
import { optionalPackage } from '../store/optional-package.js';
import { CliError, EXIT } from './io.js';

export interface TableLine {
  readonly number: number;
  /** By the names of the heading; none where the line cannot be read. */
  readonly cells: Cells;
  /** Why it cannot be. */
  readonly fault?: string;
}

export type Cells = Readonly<Record<string, string | undefined>>;

interface RawLine {
  readonly number: number;
  readonly text: string;
}

export type Batches = AsyncGenerator<readonly TableLine[], void, void>;

/** Characters: what is longer is no line of a table, and would have to be held whole. */
const LONGEST_LINE = 1_000_000;

/**
 * Opens a table, and reads its heading.
 *
 * @param readHeading - Gives the columns, or throws.
 * @returns Its other lines, `size` at a time; it throws where reading cannot go on. Blank lines are passed over.
 * @throws CliError for a file that is empty, or cannot be read.
 */
export async function openTable(
  file: string,
  size: number,
  readHeading: (names: readonly string[]) => void,
): Promise<Batches> {
  const load = () => import('csv-parse');
  const { parse } = await optionalPackage(load, 'keyward keys import', 'csv-parse');

  /** @throws where the text has a quote that stands wrong. */
  function parsed(text: string): Promise<string[][]> {
    return new Promise((resolve, reject) => {
      const options = { trim: true, relax_column_count: true, record_delimiter: '\n' };
      parse(text, options, (error, records) => (error ? reject(error) : resolve(records as string[][])));
    });
  }

  /** All at once, which is faster; each by itself where one cannot be read, or a quote made one out of several. */
  async function cellsOf(lines: readonly RawLine[]): Promise<readonly (readonly string[] | undefined)[]> {
    const together = await parsed(lines.map(({ text }) => text).join('\n')).catch(() => undefined);
    if (together?.length === lines.length) return together;
    return await Promise.all(lines.map(async ({ text }) => (await parsed(text).catch(() => []))[0]));
  }

  async function* batches(names: readonly string[]): Batches {
    let batch: RawLine[] = [];
    try {
      for await (const line of lines) {
        batch.push(line);
        if (batch.length < size) continue;
        yield await readAll(batch, names);
        batch = [];
      }
    } catch (error) {
      const from = batch[0] === undefined ? '' : ` No line from ${batch[0].number} on was imported.`;
      throw error instanceof CliError ? new CliError(error.message + from, error.exitCode) : error;
    }
    if (batch.length > 0) yield await readAll(batch, names);
  }

  async function readAll(batch: readonly RawLine[], names: readonly string[]): Promise<readonly TableLine[]> {
    const all = await cellsOf(batch);
    return batch.map(({ number }, i) => ({ number, ...rowOf(all[i], names) }));
  }

  const lines = linesOf(file);
  const { value: heading } = await lines.next();
  if (!heading) throw new CliError(`${file} is empty: its first line must be a heading.`, EXIT.usage);
  const [names] = await cellsOf([heading]);
  try {
    readHeading(names ?? []);
  } catch (error) {
    await lines.return();
    throw error;
  }
  return batches(names ?? []);
}

function rowOf(cells: readonly string[] | undefined, names: readonly string[]): Pick<TableLine, 'cells' | 'fault'> {
  if (cells === undefined) {
    return {
      cells: {},
      fault: 'its quotes cannot be read: a cell is quoted whole, and a quote within it stands twice',
    };
  }
  if (cells.length !== names.length) {
    return { cells: {}, fault: `it has ${cells.length} cells, and the heading has ${names.length}` };
  }
  return { cells: Object.fromEntries(names.map((name, i) => [name, cells[i]])) };
}

/** Lines that are not blank, with their numbers in the file. No cell goes over two of them. */
async function* linesOf(file: string): AsyncGenerator<RawLine, void, void> {
  let number = 0;
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      // A carriage return at the end may be half of a line's end.
      const texts = (rest + chunk).split(/\r?\n|\r(?!$)/);
      rest = texts.pop() ?? '';
      for (const text of texts) {
        number += 1;
        if (text.trim() !== '') yield { number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text };
      }
      if (rest.length > LONGEST_LINE) {
        const longest = `longer than ${LONGEST_LINE} characters`;
        throw new CliError(`${file}: line ${number + 1} is ${longest}: this is no table.`, EXIT.usage);
      }
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw typeof code === 'string' ? new CliError(`${file}: ${message}.`, EXIT.usage) : error;
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}
