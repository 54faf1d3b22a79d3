import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { runCli } from '../../lib/cli/program.js';
import { outputInto } from '../support/command-line.js';

/** The exit code of a command line, and what it prints. */
async function run(args: readonly string[], failures: { stdout?: Error; stderr?: Error } = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  let flushes = 0;
  const lost = (texts: string[], failure: Error | undefined) => ({
    ...outputInto(texts),
    flush: async () => {
      flushes += 1;
      if (failure !== undefined) throw failure;
    },
  });
  const io = {
    ...{ stdin: Readable.from([]), env: {} },
    ...{ stdout: lost(out, failures.stdout), stderr: lost(err, failures.stderr) },
  };
  const code = await runCli(args, io);
  expect(flushes).toBe(2);
  return { code, out: out.join(''), err: err.join('') };
}

describe('the program', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('is asked for its version only before the command', async () => {
    expect(await run(['keys', 'inspect', '-V'])).toMatchObject({ code: 2, out: '' });
  });

  it.each([[['keys', 'view', 'key\0']], [['\0']], [['keys', 'list', '--account', 'a\0b']]])(
    'refuses a NUL character in an argument: %j',
    async (args) => {
      const message = 'an argument contains a NUL character (U+0000); remove this character';
      expect(await run(args)).toEqual({ code: 2, out: '', err: `${message}\n` });
      expect(await run([...args, '--json'])).toEqual({
        ...{ code: 2, out: '' },
        err: `${JSON.stringify({ error: { code: 'usage', message, exitCode: 2 } })}\n`,
      });
    },
  );

  it('says where to find help after a mistake, but not to programs', async () => {
    expect(await run(['lost'])).toEqual({ code: 2, out: '', err: "unknown command 'lost'\n(see --help)\n" });
    expect(await run(['lost', '--json'])).toEqual({
      ...{ code: 2, out: '' },
      err: `${JSON.stringify({ error: { code: 'usage', message: "unknown command 'lost'", exitCode: 2 } })}\n`,
    });
  });

  it('prints the help of a group without a command as an error, or an error for programs', async () => {
    const { code, out, err } = await run(['signing-keys']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^Usage: keyward signing-keys /);
    expect(err).not.toContain('(see --help)');
    const message = 'expected a command; to see the commands, add --help';
    expect(await run(['signing-keys', '--json', '--json'])).toMatchObject({ code: 2, out: '' });
    expect((await run(['--json', 'signing-keys'])).err).toBe(
      `${JSON.stringify({ error: { code: 'usage', message, exitCode: 2 } })}\n`,
    );
  });
});

describe('output that is lost', () => {
  const stdout = new Error('no space left');

  it('ends a command that succeeded', async () => {
    expect(await run(['--version'], { stdout })).toMatchObject({
      ...{ code: 4, err: 'the output could not be written: no space left\n' },
    });
    expect((await run(['keys', 'patterns', '--json'], { stdout })).err).toContain('no space left');
  });

  it('does not replace the exit code of a command that failed', async () => {
    const { code, err } = await run(['lost'], { stdout });
    expect(code).toBe(2);
    expect(err).toBe("unknown command 'lost'\n(see --help)\nthe output could not be written: no space left\n");
  });

  it('cannot be reported if standard error is lost too', async () => {
    expect((await run(['--version'], { stdout, stderr: new Error('closed') })).code).toBe(4);
    expect((await run(['--version'], { stderr: new Error('closed') })).code).toBe(0);
  });
});
