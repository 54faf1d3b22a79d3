import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCli } from '../../lib/cli/program.js';
import { digestOf } from '../../lib/credentials/digest.js';
import { openStore } from '../../lib/store/open-store.js';
import { type CommandLine, commandLine, outputInto } from '../support/command-line.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const HEADING = 'digest,kind,apis,id,name,scopes,channels,platform,hint,environment,created_at,expires_at';
const lineOf = (key: string, rest = 'secret,payments,,,,,,,,,') => `${digestOf(key)},${rest}`;

describe.each(sharedEngines)('keyward keys import, on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;
  let folder: string;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    folder = mkdtempSync(join(tmpdir(), 'keyward-import-'));
    await keyward.json(
      'accounts',
      'put',
      'acme',
      '--api',
      'payments',
      '--scope',
      'payments:read',
      '--platform',
      'shop',
    );
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });

  function importing(lines: readonly string[], ...args: string[]) {
    const file = join(folder, 'keys.csv');
    writeFileSync(file, [HEADING, ...lines, ''].join('\n'));
    return keyward.run('keys', 'import', file, '--account', 'acme', ...args);
  }

  async function recordOf(key: string) {
    const store = await openStore(place.url);
    try {
      const [digest, kind, environment] = [digestOf(key), 'secret', 'live'] as const;
      return await store.resolveKey({ digest, kind, environment, reveal: () => key });
    } finally {
      await store.close();
    }
  }

  it('imports keys, which stay valid', async () => {
    const full = 'secret,all,old-7,"Till, two",payments:read,pc_1,shop,live_1234,live,2020-01-02T03:04:05Z,2099-01-01';
    const { code, out } = await importing([lineOf('old-secret-1'), lineOf('old-secret-2', full)]);
    expect(code).toBe(0);
    expect(out).toMatch(/^2 keys imported, 0 skipped \(already in the database\), in [\d.]+ s \(\d+ per second\)\n$/);
    expect(await recordOf('old-secret-1')).toMatchObject({ account: 'acme', apis: ['payments'], scopes: null });
    expect(await recordOf('old-secret-2')).toMatchObject({
      ...{ id: 'old-7', name: 'Till, two', apis: ['payments'], scopes: ['payments:read'], channels: ['pc_1'] },
      ...{ platform: 'shop', createdAt: new Date('2020-01-02T03:04:05Z'), expiresAt: new Date('2099-01-01') },
    });
  });

  it('reads lists of several names, every channel, the hint and the environment', async () => {
    const scopes = ['--scope', 'payments:read', '--scope', 'payments:refund'];
    await keyward.json('accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', ...scopes);
    const rest = 'secret,payments   disputes,old-8,,payments:read payments:refund,all,,live_5678,sandbox,,';
    expect(await importing([lineOf('a', rest), lineOf('b', 'public,payments,old-9,,,pc_1 pc_2,,,,,')])).toMatchObject({
      ...{ code: 0, err: '' },
    });
    expect(await keyward.json('keys', 'view', 'old-8')).toMatchObject({
      record: {
        ...{ kind: 'secret', apis: ['payments', 'disputes'], channels: 'all', name: null },
        scopes: ['payments:read', 'payments:refund'],
        ...{ hint: 'live_5678', environment: 'sandbox', platform: null, expiresAt: null },
      },
    });
    expect(await keyward.json('keys', 'view', 'old-9')).toMatchObject({
      record: {
        ...{ kind: 'public', apis: ['payments'], scopes: null, channels: ['pc_1', 'pc_2'], environment: 'live' },
        hint: `\u2026${digestOf('b').slice(0, 4)}`,
      },
    });
  });

  it('has an audit entry with its count', async () => {
    await importing([lineOf('a'), lineOf('b')]);
    const { out } = await keyward.run('audit', '--account', 'acme', '--action', 'key.import');
    expect(out).toMatch(/ key\.import +done +- +2 keys were imported\n/);
  });

  it('skips keys that were imported before', async () => {
    await importing([lineOf('a')]);
    const { out } = await importing([lineOf('a'), lineOf('b')], '--json');
    expect(JSON.parse(out)).toMatchObject({ imported: 1, known: 1, refused: 0, batches_not_imported: 0 });
  });

  it('imports nothing of a batch with a refused line, and prints line and reason', async () => {
    const good = Array.from({ length: 1_000 }, (_, i) => lineOf(`good-${i}`));
    const bad = [
      ['nonsense,secret,payments,,,,,,,,,', 'digest: expected the SHA-256 digest of the key in hex'],
      [lineOf('x', 'private,payments,,,,,,,,,'), 'kind: expected secret or public'],
      [lineOf('y', 'secret,payouts,,,,,,,,,'), 'apis: the account is not entitled to "payouts"'],
      [lineOf('z', 'public,all,,,,,,,,,'), 'apis: a public API key must list its APIs; "all" is not allowed'],
      [
        lineOf('s', 'secret,payments,,,,pc_1 pc_2,shop,,,,'),
        'channels: a key for an e-commerce platform must have exactly one channel',
      ],
      [
        lineOf('t', 'secret,payments,,,,,,,,yesterday,'),
        'created_at: expected an ISO 8601 date or time from 1970 to 9999, such as 2027-01-31',
      ],
      [lineOf('good-1000'), undefined],
      [lineOf('good-1000'), 'digest: another key in this batch has the same digest'],
    ] as const;
    const { code, err, out } = await importing([...good, ...bad.map(([line]) => line)], '--json');
    expect(code).toBe(1);
    const invalid = bad.flatMap(([, message], i) =>
      message === undefined ? [] : [{ error: { code: 'invalid', line: 1_002 + i, message } }],
    );
    const last = {
      code: 'refused',
      message:
        '7 lines were refused, so 1 batch of up to 1000 lines was not imported; correct the file and import it again',
      exitCode: 1,
    };
    const printed = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(printed).toEqual([...invalid, { error: last }]);
    expect(JSON.parse(out)).toMatchObject({ imported: 1_000, refused: 7, batches_not_imported: 1 });
    expect(await recordOf('good-999')).toBeDefined();
    expect(await recordOf('good-1000')).toBeUndefined();
  });

  it('prints the first 50 refused lines, and counts all of them', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => lineOf(`x${at}`, 'private,payments,,,,,,,,,'));
    const { code, out, err } = await importing(lines, '--json');
    const printed = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).error);
    expect(printed.slice(0, -1).map(({ line }) => line)).toEqual(Array.from({ length: 50 }, (_, at) => 2 + at));
    expect([code, printed.at(-1)]).toMatchObject([1, { code: 'refused', exitCode: 1 }]);
    expect(JSON.parse(out)).toEqual({
      ...{ imported: 0, known: 0, refused: 60, batches_not_imported: 1, seconds: expect.any(Number) },
      resume_at_line: null,
    });
  });

  it('prints 50 refused lines of all batches together', async () => {
    const batch = (name: string, refused: number) =>
      Array.from({ length: 1_000 }, (_, at) =>
        lineOf(`${name}${at}`, at < refused ? 'private,payments,,,,,,,,,' : undefined),
      );
    const { err, out } = await importing([...batch('a', 40), ...batch('b', 40)], '--json');
    const lines = err
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).error.line as number | undefined);
    const numbers = Array.from({ length: 40 }, (_, at) => 2 + at);
    expect(lines).toEqual([...numbers, ...numbers.slice(0, 10).map((line) => line + 1_000), undefined]);
    expect(JSON.parse(out)).toMatchObject({ imported: 0, refused: 80, batches_not_imported: 2 });
  });

  it('starts at --from-line, whose heading is line 1', async () => {
    const lines = ['a', 'b', 'c'].map((key) => lineOf(key));
    expect(JSON.parse((await importing(lines, '--from-line', '3', '--json')).out)).toMatchObject({ imported: 2 });
    expect([await recordOf('a'), (await recordOf('b'))?.account]).toEqual([undefined, 'acme']);
    expect(JSON.parse((await importing(lines, '--json')).out)).toMatchObject({ imported: 1, known: 2 });
  });

  it.each([
    [
      'a column that there is none of',
      'digest,kind,apis,secret',
      'the first line has an unsupported column: secret; the supported columns are digest,',
    ],
    ['a column that is missing', 'digest,kind', 'the first line is missing a required column: apis'],
    ['two columns that are missing', 'kind', 'the first line is missing required columns: digest, apis'],
    ['a column that comes twice', 'digest,kind,apis,apis', 'the first line has a duplicate column: apis'],
    [
      'a heading that is missing',
      lineOf('a'),
      'the first line must contain the column names; the required columns are digest, kind, apis; the supported columns are',
    ],
    ['a file that is empty', '', 'bad.csv is empty'],
    ['a file of blank lines', '\n  \r\n', 'bad.csv is empty'],
  ])('refuses %s, and imports nothing', async (_what, text, sentence) => {
    const file = join(folder, 'bad.csv');
    writeFileSync(file, text === '' ? '' : `${text}\n`);
    const { code, out, err } = await keyward.run('keys', 'import', file, '--account', 'acme');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err).not.toContain(digestOf('a'));
  });

  it('shows its progress only on a terminal, on one line that it removes', async () => {
    const file = join(folder, 'keys.csv');
    const lines = Array.from({ length: 2_500 }, (_, i) => lineOf(`progress-${i}`));
    writeFileSync(file, `${[HEADING, ...lines].join('\n')}\n`);
    const args = ['keys', 'import', file, '--account', 'acme'];
    const [out, err]: [string[], string[]] = [[], []];
    const stderr = { ...outputInto(err), isTerminal: true };
    const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr, env: { KEYWARD_DATABASE: place.url } };
    expect(await runCli(args, io)).toBe(0);
    const shown = err.join('').split('\r\u001b[K');
    const percents = shown.map((text) => /^(\d+)%, \d+ keys? imported, 0 skipped, \d+ per second$/.exec(text)?.[1]);
    expect(percents.filter((percent) => percent !== undefined)).toHaveLength(3);
    expect(shown.at(-1)).toBe('');
    expect(err.join('')).not.toContain('\n');
    expect(await keyward.run(...args)).toMatchObject({ code: 0, err: '' });
  });

  it('prints a rate that is the number of keys over the time', async () => {
    for (const [names, counts] of [
      [['a', 'b'], '2 keys imported, 0 skipped'],
      [['a', 'b', 'c'], '1 key imported, 2 skipped'],
    ] as const) {
      const { out } = await importing(names.map((name) => lineOf(name)));
      expect(out.startsWith(counts)).toBe(true);
      const [, seconds, rate] = /, in ([\d.]+) s \((\d+) per second\)\n$/.exec(out) ?? [];
      expect(Number(rate)).toBe(Math.round(names.length / Math.max(Number(seconds), 0.001)));
      // This process is older than the import.
      expect(Number(seconds)).toBeLessThan(performance.now() / 1_000);
    }
  });

  it('shows the share of the file on a terminal, and none of a pipe', async () => {
    const [file, pipe] = [join(folder, 'keys.csv'), join(folder, 'pipe')];
    writeFileSync(file, `${[HEADING, lineOf('a')].join('\n')}\n`);
    execFileSync('mkfifo', [pipe]);
    for (const [name, shown] of [
      [pipe, '1 key imported, 0 skipped, '],
      [file, '100%, 0 keys imported, 1 skipped, '],
    ] as const) {
      // It waits until the pipe is read.
      const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', file, pipe]);
      const err: string[] = [];
      const stderr = { ...outputInto(err), isTerminal: true };
      const args = ['keys', 'import', name, '--account', 'acme'];
      const env = { KEYWARD_DATABASE: place.url };
      expect(await runCli(args, { stdin: Readable.from([]), stdout: outputInto([]), stderr, env })).toBe(0);
      writer.kill();
      expect(
        err
          .join('')
          .split('\r\u001b[K')
          .filter((text) => text.startsWith(shown)),
      ).toHaveLength(1);
    }
  });

  it('leaves no listener for signals behind', async () => {
    const count = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
    const before = count();
    expect((await importing([lineOf('a')])).code).toBe(0);
    expect(count()).toBe(before);
  });

  it('refuses a missing file and an unknown account', async () => {
    const file = join(folder, 'none.csv');
    expect(await keyward.run('keys', 'import', file, '--account', 'acme')).toMatchObject({ code: 2 });
    writeFileSync(file, `${HEADING}\n${lineOf('a')}\n`);
    const { code, err } = await keyward.run('keys', 'import', file, '--account', 'nobody');
    expect([code, err]).toEqual([1, expect.stringMatching(/^there is no account "nobody" in \S+; to create one, run/)]);
    expect(err).not.toContain('--from-line');
    writeFileSync(file, `${HEADING}\n`);
    expect(await keyward.run('keys', 'import', file, '--account', 'nobody')).toMatchObject({ code: 1, err });
  });
});
