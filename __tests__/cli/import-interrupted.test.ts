import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { build, runProgram, startProgram } from '../support/built-cli.js';
import { commandLine } from '../support/command-line.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const HEADING = 'digest,kind,apis';
const linesOf = (count: number) => Array.from({ length: count }, (_, i) => `${digestOf(`key ${i}`)},secret,payments`);

beforeAll(build);

describe.each(sharedEngines)('keyward keys import, interrupted, on %s', (engine) => {
  let place: TestPlace;
  let folder: string;

  beforeEach(async () => {
    place = await placesOf[engine]();
    folder = mkdtempSync(join(tmpdir(), 'keyward-interrupted-'));
    await commandLine(place).json('accounts', 'put', 'acme', '--api', 'payments');
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });

  const importing = (file: string, ...args: string[]) => ['keys', 'import', file, '--account', 'acme', ...args];

  /** How many keys each finished batch had, as the audit says. */
  async function imported(): Promise<readonly number[]> {
    const { entries } = await commandLine(place).json<{ entries: { after: { imported: number } }[] }>(
      ...['audit', '--account', 'acme', '--action', 'key.import', '--limit', '200'],
    );
    return entries.map(({ after }) => after.imported);
  }

  async function untilImported(batches: number): Promise<void> {
    while ((await imported()).length < batches) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('N34 %s: the counts so far, the line to resume at, and %i', async (signal, exitCode) => {
    // A pipe that nobody ends: two batches of it are read, and half of a third.
    const pipe = join(folder, 'keys.pipe');
    execFileSync('mkfifo', [pipe]);
    const lines = linesOf(3_000);
    const program = startProgram(importing(pipe), { KEYWARD_DATABASE: place.url }, folder);
    const writer = createWriteStream(pipe);
    writer.write(`${[HEADING, ...lines.slice(0, 2_500)].join('\n')}\n`);
    await untilImported(2);
    program.child.kill(signal);
    await program.firstLine;
    // Node does not exit while a thread of it waits for the pipe.
    writer.destroy();
    const { code, out, err } = await program.ended;
    expect(code).toBe(exitCode);
    expect(out).toMatch(/^2000 keys imported, 0 skipped \(already in the database\), in /);
    const resume = 'to resume the import, add --from-line 2002';
    expect(err).toBe(`the import was interrupted by ${signal}; ${resume}\n`);
    expect(await imported()).toEqual([1_000, 1_000]);

    const file = join(folder, 'keys.csv');
    writeFileSync(file, `${[HEADING, ...lines].join('\n')}\n`);
    const resumed = await runProgram(
      importing(file, '--from-line', '2002', '--json'),
      { KEYWARD_DATABASE: place.url },
      folder,
    );
    expect(JSON.parse(resumed.out)).toMatchObject({ imported: 1_000, known: 0, resume_at_line: null });
  });

  it('N34 in the middle: complete batches, as many as it reports', async () => {
    const file = join(folder, 'keys.csv');
    writeFileSync(file, `${[HEADING, ...linesOf(60_000)].join('\n')}\n`);
    const program = startProgram(importing(file, '--json'), { KEYWARD_DATABASE: place.url }, folder);
    await untilImported(1);
    program.child.kill('SIGINT');
    const { code, out, err } = await program.ended;
    const counts = JSON.parse(out);
    expect(code).toBe(130);
    expect(counts.imported % 1_000).toBe(0);
    expect(counts.imported).toBeLessThan(60_000);
    expect(counts.resume_at_line).toBe(counts.imported + 2);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'signal', exitCode: 130 } });
    expect((await imported()).reduce((sum, count) => sum + count, 0)).toBe(counts.imported);
  });

  it.each([
    [0, 'has imported its file', ''],
    [2, 'cannot read the rest of its file', 'x'.repeat(1_000_001)],
  ])('ends with %i and leaves no signal listener if it %s', async (exitCode, _what, lastLine) => {
    const listeners = () => ['SIGHUP', 'SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name));
    const before = listeners();
    const file = join(folder, 'keys.csv');
    writeFileSync(file, `${[HEADING, ...linesOf(2), lastLine].join('\n')}\n`);
    expect((await commandLine(place).run(...importing(file))).code).toBe(exitCode);
    expect(listeners()).toEqual(before);
  });

  it('after a batch that fails in the database, the line to resume at is the first of this batch', async () => {
    const refused = digestOf('key 1500');
    await onDatabase(
      place.url,
      engine === 'SQLite'
        ? `create trigger full before insert on secrets when new.digest = '${refused}' begin select raise(abort, 'full'); end`
        : `alter table secrets add constraint "full" check (digest <> '${refused}')`,
    );
    const file = join(folder, 'keys.csv');
    writeFileSync(file, `${[HEADING, ...linesOf(2_500)].join('\n')}\n`);
    const { code, out } = await runProgram(importing(file, '--json'), { KEYWARD_DATABASE: place.url }, folder);
    expect(code).not.toBe(0);
    expect(JSON.parse(out)).toMatchObject({ imported: 1_000, resume_at_line: 1_002 });
    expect(await imported()).toEqual([1_000]);
  });
});
