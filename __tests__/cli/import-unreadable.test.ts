import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { type CommandLine, commandLine } from '../support/command-line.js';

const HEADING = 'digest,kind,apis,name';
const lineOf = (key: number | string, name = '') => `${digestOf(`key ${key}`)},secret,payments,${name}`;
const linesOf = (count: number, from = 0) => Array.from({ length: count }, (_, i) => lineOf(from + i));

let folder: string;
let keyward: CommandLine;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-unreadable-'));
  keyward = commandLine({ url: `file:${join(folder, 'keyward.db')}` });
  await keyward.json('accounts', 'put', 'acme', '--api', 'payments');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function importing(text: string | Buffer, ...args: string[]) {
  const file = join(folder, 'keys.csv');
  writeFileSync(file, text);
  return await keyward.run('keys', 'import', file, '--account', 'acme', ...args);
}

const table = (lines: readonly string[], end = '\n') => [HEADING, ...lines, ''].join(end);

describe('keyward keys import: a line that cannot be read', () => {
  it.each([
    ['a cell too many', `${lineOf('x')},`, 'expected 4 cells (one for each column), got 5'],
    ['a cell too few', `${digestOf('x')},secret,payments`, 'expected 4 cells (one for each column), got 3'],
    ['a quote that nothing closes', lineOf('x', '"till'), 'a quote (") is misplaced'],
    ['a quote in a cell without', lineOf('x', 'the "till"'), 'a quote (") is misplaced'],
    ['a word behind a quote', lineOf('x', '"till" 2'), 'a quote (") is misplaced'],
  ])('is refused, and the other batches are imported: %s', async (_what, line, fault) => {
    const lines = [...linesOf(1_000), ...linesOf(500, 1_000), line, ...linesOf(499, 1_500), ...linesOf(7, 2_000)];
    const { code, out, err } = await importing(table(lines), '--json');
    const printed = err
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).error);
    expect(printed).toEqual([
      { code: 'invalid', line: 1_502, message: expect.stringContaining(fault) },
      {
        code: 'refused',
        message:
          '1 line was refused, so 1 batch of up to 1000 lines was not imported; correct the file and import it again',
        exitCode: 1,
      },
    ]);
    expect(JSON.parse(out)).toMatchObject({ imported: 1_007, known: 0, refused: 1, batches_not_imported: 1 });
    expect(code).toBe(1);
  });

  it('is refused if it is not UTF-8, so that no name is changed', async () => {
    const { code, err } = await importing(Buffer.from(table([lineOf(1, 'till'), lineOf(2, 'caf\u00e9')]), 'latin1'));
    expect([code, err.split('\n')[0]]).toEqual([
      1,
      'line 3: the line is not valid UTF-8, or contains the character U+FFFD; save the file as UTF-8 without this character',
    ]);
    expect((await importing(table([lineOf(2, 'caf\u00e9')]))).code).toBe(0);
    expect((await keyward.run('keys', 'list', '--account', 'acme')).out).toContain('caf\u00e9');
  });

  it('two misplaced quotes do not join the lines between them', async () => {
    const lines = [lineOf(1, '"till'), lineOf(2), lineOf(3, '"')];
    const { err, out } = await importing(table([...lines, lineOf(4)]));
    expect(err.match(/^line \d+/gm)).toEqual(['line 2', 'line 4']);
    expect(out).toMatch(/^0 keys imported/);
  });

  it('is reported together with lines that management refuses', async () => {
    const { err } = await importing(table([`${lineOf(1)},`, 'nonsense,secret,payments,', lineOf(2)]));
    expect(err.match(/^line .*/gm)).toEqual([
      'line 2: expected 4 cells (one for each column), got 5',
      'line 3: digest: expected the SHA-256 digest of the key in hex',
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('skips blank lines, and keeps the numbers of the others (%j)', async (end) => {
    const text = `\uFEFF${table(['', lineOf(1, '"a, ""b"""'), ' \t', lineOf(2), 'bad', '', ''], end)}`;
    const { err } = await importing(text);
    expect(err).toMatch(/^line 6: expected 4 cells \(one for each column\), got 1/);
    const { out } = await importing(text.replace('bad', ''), '--json');
    expect(JSON.parse(out)).toMatchObject({ imported: 2, refused: 0 });
    expect(await keyward.json('keys', 'list', '--account', 'acme', '--text', 'a, ')).toMatchObject({
      keys: [{ name: 'a, "b"' }],
    });
  });

  it('accepts an upper-case digest', async () => {
    const { out } = await importing(table([lineOf(1).replace(/^\w+/, (digest) => digest.toUpperCase())]), '--json');
    expect(JSON.parse(out)).toMatchObject({ imported: 1, refused: 0 });
  });
});

/** How many bytes of a file are read at once. */
const CHUNK = 65_536;

describe('keyward keys import: a file of several chunks', () => {
  /** A blank line by which the next line starts at a place in the file. */
  const blankUntil = (place: number, end: string) => ' '.repeat(place - HEADING.length - 2 * end.length);

  it('counts a line once whose CRLF is in two chunks', async () => {
    const blank = blankUntil(CHUNK + 1, '\r\n');
    const { code, err } = await importing(table([blank, lineOf(1), 'bad'], '\r\n'));
    expect([code, err.split('\n')[0]]).toEqual([1, 'line 4: expected 4 cells (one for each column), got 1']);
    expect((await importing(table([blank, lineOf(1), lineOf(2)], '\r\n'))).out).toMatch(/^2 keys imported/);
  });

  it('reads a character whose bytes are in two chunks', async () => {
    const key = lineOf(1, 'caf\u00e9');
    const blank = blankUntil(CHUNK + 1 - Buffer.byteLength(key), '\n');
    expect(await importing(table([blank, key]))).toMatchObject({ code: 0, err: '' });
    expect((await keyward.run('keys', 'list', '--account', 'acme')).out).toContain('caf\u00e9');
  });

  it('reads a line that is in two chunks, also without a line break at its end', async () => {
    const text = `${HEADING}\n${blankUntil(CHUNK - 40, '\n')}\n${lineOf(1, 'Till')}`;
    expect((await importing(text)).out).toMatch(/^1 key imported/);
    expect((await importing(`${text},`)).err).toMatch(/^line 3: expected 4 cells/);
  });
});

describe('keyward keys import: a line has at most 1,000,000 characters', () => {
  const lineWith = (characters: number) => lineOf('long').padEnd(characters, 'x');
  const tooLong = (line: number) =>
    `${join(folder, 'keys.csv')}: line ${line} is longer than 1,000,000 characters; check that this is a CSV file; to resume the import, add --from-line 2\n`;

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('that end with %s', async (_what, end) => {
    const longest = await importing(table([lineWith(1_000_000)], end));
    expect(longest.err).toMatch(/^line 2: name: expected at most 100 characters, /);
    const { code, err } = await importing(table([lineWith(1_000_001)], end));
    expect([code, err]).toEqual([2, tooLong(2)]);
  });

  it('that end with the file', async () => {
    const longest = await importing(`${HEADING}\n${lineWith(1_000_000)}`);
    expect(longest.err).toMatch(/^line 2: name: expected at most 100 characters, /);
    expect((await importing(`${HEADING}\n${lineWith(1_000_001)}`)).err).toBe(tooLong(2));
  });

  it('whose CRLF is in two chunks', async () => {
    const blank = ' '.repeat(16 * CHUNK - 1 - 1_000_000 - HEADING.length - 4);
    const longest = await importing(table([blank, lineWith(1_000_000)], '\r\n'));
    expect(longest.err).toMatch(/^line 3: name: expected at most 100 characters, /);
    expect((await importing(table([blank, lineWith(1_000_001)], '\r\n'))).err).toBe(tooLong(3));
  });

  it('is also true of a blank line, and of the heading', async () => {
    expect((await importing(table([' '.repeat(1_000_001)]))).err).toBe(tooLong(2));
    const { code, err } = await importing(`${HEADING.padEnd(1_000_001, 'x')}\n`);
    expect([code, err]).toEqual([
      2,
      `${join(folder, 'keys.csv')}: line 1 is longer than 1,000,000 characters; check that this is a CSV file\n`,
    ]);
  });
});

describe('keyward keys import: if it cannot continue', () => {
  it('names a folder once that is given for a file', async () => {
    const { code, err } = await keyward.run('keys', 'import', folder, '--account', 'acme');
    expect([code, err]).toEqual([2, `${folder} is a folder; expected a file\n`]);
  });

  it.each([[[]], [['--json']]])('reports what was imported until then (%j)', async (args) => {
    const endless = 'x'.repeat(1_100_000);
    const { code, out, err } = await importing(table([...linesOf(1_003), endless]), ...args);
    expect(code).toBe(2);
    expect(err).toMatch(
      /keys\.csv: line 1005 is longer than 1,000,000 characters.*; to resume the import, add --from-line 1002/,
    );
    if (args.length === 0) expect(out).toMatch(/^1000 keys imported, 0 skipped/);
    else expect(JSON.parse(out)).toMatchObject({ imported: 1_000, refused: 0 });
  });

  it('says what was refused before, and how to import it', async () => {
    const endless = 'x'.repeat(1_100_000);
    const { code, out, err } = await importing(table(['bad', ...linesOf(1_999), endless]));
    expect([code, out]).toEqual([2, expect.stringMatching(/^1000 keys imported, 0 skipped .*, 1 line refused, in /)]);
    expect(err).toMatch(
      /; 1 line was refused, so 1 batch of up to 1000 lines was not imported; correct the file and import it again; to import only the rest, add --from-line 2002\n$/,
    );
  });

  it('refuses --from-line after the end of the file, but not directly after it', async () => {
    const file = join(folder, 'keys.csv');
    const none = { imported: 0, known: 0, refused: 0, batches_not_imported: 0, seconds: 0, resume_at_line: null };
    // The blank lines at the end of a file are not counted.
    for (const [text, last] of [
      [`${HEADING}\n`, 1],
      [table(linesOf(1)), 2],
      [`${table(linesOf(1))}\n\n`, 2],
    ] as const) {
      const { code, out, err } = await importing(text, '--from-line', String(last + 2), '--json');
      const message = `--from-line ${last + 2}: ${file} has no keys after line ${last}; check the line number`;
      expect([code, JSON.parse(out), JSON.parse(err)]).toEqual([
        ...[2, none, { error: { code: 'usage', exitCode: 2, message } }],
      ]);
      const resumed = await importing(text, '--from-line', String(last + 1), '--json');
      expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([0, { imported: 0, resume_at_line: null }]);
    }
  });

  it('starts at the line after --from-line if this one is blank', async () => {
    const text = table([...linesOf(2), '', '', ...linesOf(4).slice(2)]);
    const { code, out } = await importing(text, '--from-line', '4', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { imported: 2, resume_at_line: null }]);
    expect(JSON.parse((await importing(text, '--json')).out)).toMatchObject({ imported: 2, known: 2 });
  });

  it('prints the counts as JSON also if the file or the account does not exist', async () => {
    const none = { imported: 0, known: 0, refused: 0, batches_not_imported: 0, seconds: 0, resume_at_line: null };
    const missing = await keyward.run('keys', 'import', join(folder, 'none.csv'), '--account', 'acme', '--json');
    expect([missing.code, JSON.parse(missing.out)]).toEqual([2, none]);
    const unknown = await importing(table(linesOf(1)), '--account', 'other', '--json');
    expect([unknown.code, JSON.parse(unknown.out)]).toEqual([1, none]);
  });
});
