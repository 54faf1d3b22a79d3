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

async function importing(text: string, ...args: string[]) {
  const file = join(folder, 'keys.csv');
  writeFileSync(file, text);
  return await keyward.run('keys', 'import', file, '--account', 'acme', ...args);
}

const table = (lines: readonly string[], end = '\n') => [HEADING, ...lines, ''].join(end);

describe('keyward keys import: a line that cannot be read', () => {
  it.each([
    ['a cell too many', `${lineOf('x')},`, 'it has 5 cells, and the heading has 4'],
    ['a cell too few', `${digestOf('x')},secret,payments`, 'it has 3 cells, and the heading has 4'],
    ['a quote that nothing closes', lineOf('x', '"till'), 'its quotes cannot be read'],
    ['a quote in a cell without', lineOf('x', 'the "till"'), 'its quotes cannot be read'],
    ['a word behind a quote', lineOf('x', '"till" 2'), 'its quotes cannot be read'],
  ])('is refused like any other, and the batches beside its own are imported: %s', async (_what, line, fault) => {
    const lines = [...linesOf(1_000), ...linesOf(500, 1_000), line, ...linesOf(499, 1_500), ...linesOf(7, 2_000)];
    const { code, out, err } = await importing(table(lines), '--json');
    expect(err.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^line 1502: ${fault}`)),
      '1 line was refused; 1 batch was left out.',
      '',
    ]);
    expect(JSON.parse(out)).toMatchObject({ imported: 1_007, known: 0, refused: 1, batches_left_out: 1 });
    expect(code).toBe(1);
  });

  it('two quotes that stand wrong do not make one line out of those between them', async () => {
    const lines = [lineOf(1, '"till'), lineOf(2), lineOf(3, '"')];
    const { err, out } = await importing(table([...lines, lineOf(4)]));
    expect(err.match(/^line \d+/gm)).toEqual(['line 2', 'line 4']);
    expect(out).toMatch(/^0 imported/);
  });

  it('is told beside those that management refuses', async () => {
    const { err } = await importing(table([`${lineOf(1)},`, 'nonsense,secret,payments,', lineOf(2)]));
    expect(err.match(/^line .*/gm)).toEqual([
      'line 2: it has 5 cells, and the heading has 4',
      'line 3: digest: expected SHA-256 in hex',
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('passes over blank lines, and keeps the numbers of the others (%j)', async (end) => {
    const text = `\uFEFF${table(['', lineOf(1, '"a, ""b"""'), ' \t', lineOf(2), 'bad', '', ''], end)}`;
    const { err } = await importing(text);
    expect(err).toMatch(/^line 6: it has 1 cell/);
    const { out } = await importing(text.replace('bad', ''), '--json');
    expect(JSON.parse(out)).toMatchObject({ imported: 2, refused: 0 });
    expect(await keyward.json('keys', 'list', '--account', 'acme', '--text', 'a, ')).toMatchObject({
      keys: [{ name: 'a, "b"' }],
    });
  });

  it('takes the digest in capitals', async () => {
    const { out } = await importing(table([lineOf(1).replace(/^\w+/, (digest) => digest.toUpperCase())]), '--json');
    expect(JSON.parse(out)).toMatchObject({ imported: 1, refused: 0 });
  });
});

describe('keyward keys import: where it cannot go on', () => {
  it.each([[[]], [['--json']]])('says what it had done until then (%j)', async (args) => {
    const endless = 'x'.repeat(1_100_000);
    const { code, out, err } = await importing(table([...linesOf(1_003), endless]), ...args);
    expect(code).toBe(2);
    expect(err).toMatch(
      /keys\.csv: line 1005 is longer than 1000000 characters.* No line from 1002 on was imported\.\n$/,
    );
    if (args.length === 0) expect(out).toMatch(/^1000 imported, 0 were there/);
    else expect(JSON.parse(out)).toMatchObject({ imported: 1_000, refused: 0 });
  });
});
