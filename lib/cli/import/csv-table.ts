/**
 * Reads a CSV file in batches of lines. A line that cannot be parsed gets a `fault`, and the next lines are still read.
 */
import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { optionalPackage } from '../../store/optional-package.js';
import { CliError, EXIT, readErrorOf } from '../cli-error.js';

export interface TableLine {
  readonly number: number;
  /** The cells by column name; empty if the line cannot be parsed. */
  readonly cells: Cells;
  /** Why the line cannot be parsed. */
  readonly fault?: string;
}

export type Cells = Readonly<Record<string, string | undefined>>;

interface RawLine {
  readonly number: number;
  readonly text: string;
}

export interface Table {
  /** The lines in batches, without blank lines. Iteration throws if the file cannot be read to its end. */
  readonly batches: AsyncGenerator<readonly TableLine[], void, void>;
  /**
   * Which part of the file has been read, from 0 to 1; `undefined` if the size of the file is not known, as for a pipe.
   */
  share(): number | undefined;
}

/** Maximum characters of a line. Without this limit, a file without line breaks could fill the memory. */
const MAX_LINE = 1_000_000;

/**
 * Opens a CSV file, and reads its heading.
 *
 * @param size - The number of lines in a batch.
 * @param firstLine - The number of the first line to read. The heading is line 1.
 * @param checkHeading - Throws an error for a wrong heading.
 * @throws CliError for a file that is empty, cannot be read, or ends before `firstLine`.
 */
export async function openTable(
  file: string,
  { size, firstLine }: { readonly size: number; readonly firstLine: number },
  checkHeading: (names: readonly string[]) => void,
): Promise<Table> {
  const load = () => import('csv-parse');
  const { parse } = await optionalPackage(load, 'keyward keys import', 'csv-parse');

  /** Parses lines of CSV. It rejects if a quote is misplaced. */
  function parsed(text: string): Promise<string[][]> {
    return new Promise((resolve, reject) => {
      const options = { trim: true, relax_column_count: true, record_delimiter: '\n' };
      parse(text, options, (error, records) => (error ? reject(error) : resolve(records as string[][])));
    });
  }

  /**
   * Parses all lines in one call, which is faster. If this fails, or if a quote joins two lines, it parses each line
   * separately, so that one wrong line does not affect the others.
   */
  async function cellsOf(lines: readonly RawLine[]): Promise<readonly (readonly string[] | undefined)[]> {
    const together = await parsed(lines.map(({ text }) => text).join('\n')).catch(() => undefined);
    if (together?.length === lines.length) return together;
    return await Promise.all(lines.map(async ({ text }) => (await parsed(text).catch(() => []))[0]));
  }

  async function* batches(names: readonly string[], rows: AsyncIterable<RawLine>): Table['batches'] {
    let batch: RawLine[] = [];
    for await (const line of rows) {
      batch.push(line);
      if (batch.length < size) continue;
      yield await readAll(batch, names);
      batch = [];
    }
    if (batch.length > 0) yield await readAll(batch, names);
  }

  /**
   * Skips the lines before `firstLine`, and returns the others. The file may end directly before `firstLine`, because an
   * import that is interrupted after its last batch is resumed there.
   *
   * @param heading - The number of the line with the heading.
   */
  async function skipLines(heading: number): Promise<AsyncIterable<RawLine>> {
    let last = heading;
    while (last + 1 < firstLine) {
      const { value: line } = await lines.next();
      if (!line) {
        const mistake = `${file} has no keys after line ${last}; check the line number`;
        throw new CliError(`--from-line ${firstLine}: ${mistake}`, EXIT.usage);
      }
      if (line.number >= firstLine) return startingWith(line);
      last = line.number;
    }
    return lines;
  }

  async function* startingWith(line: RawLine): AsyncGenerator<RawLine, void, void> {
    yield line;
    yield* lines;
  }

  async function readAll(batch: readonly RawLine[], names: readonly string[]): Promise<readonly TableLine[]> {
    const all = await cellsOf(batch);
    return batch.map(({ number, text }, i) => ({
      number,
      // When Node decodes the file, it replaces bytes that are not UTF-8 with U+FFFD.
      ...(text.includes('\uFFFD') ? NOT_UTF_8 : rowOf(all[i], names)),
    }));
  }

  const stream = createReadStream(file, 'utf8');
  const lines = linesOf(file, stream);
  const { value: heading } = await lines.next();
  if (!heading) throw new CliError(`${file} is empty; its first line must contain the column names`, EXIT.usage);
  const [names] = await cellsOf([heading]);
  try {
    checkHeading(names ?? []);
  } catch (error) {
    await lines.return();
    throw error;
  }
  const rows = await skipLines(heading.number);
  const { size: bytes } = await stat(file);
  return {
    batches: batches(names ?? [], rows),
    share: () => (bytes === 0 ? undefined : Math.min(1, stream.bytesRead / bytes)),
  };
}

const NOT_UTF_8 = {
  cells: {},
  fault: 'the line is not valid UTF-8, or contains the character U+FFFD; save the file as UTF-8 without this character',
};

function rowOf(cells: readonly string[] | undefined, names: readonly string[]): Pick<TableLine, 'cells' | 'fault'> {
  if (cells === undefined) {
    return {
      cells: {},
      fault: 'a quote (") is misplaced; enclose the whole cell in quotes, and double each quote inside it',
    };
  }
  if (cells.length !== names.length) {
    return { cells: {}, fault: `expected ${names.length} cells (one for each column), got ${cells.length}` };
  }
  return { cells: Object.fromEntries(names.map((name, i) => [name, cells[i]])) };
}

/** Yields the lines that are not blank, with their line numbers in the file. A cell cannot contain a line break. */
async function* linesOf(file: string, stream: ReadStream): AsyncGenerator<RawLine, void, void> {
  function checkLength(text: string, line: number): void {
    // `text` may end with the carriage return of a CRLF whose line feed is in the next chunk. It does not belong to the
    // line.
    if (text.length - (text.endsWith('\r') ? 1 : 0) <= MAX_LINE) return;
    const longest = `longer than ${MAX_LINE.toLocaleString('en-US')} characters`;
    throw new CliError(`${file}: line ${line} is ${longest}; check that this is a CSV file`, EXIT.usage);
  }

  let number = 0;
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<string>) {
      // A carriage return at the end of a chunk is not yet a line break, because the next chunk may begin with a line
      // feed.
      const texts = (rest + chunk).split(/\r?\n|\r(?!$)/);
      rest = texts.pop() ?? '';
      for (const text of texts) {
        number += 1;
        checkLength(text, number);
        if (text.trim() !== '') yield { number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text };
      }
      checkLength(rest, number + 1);
    }
  } catch (error) {
    throw readErrorOf(file, error);
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}
