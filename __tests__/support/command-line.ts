/** The command line as a test types it: in this process, over a store of its own. */
import { Readable } from 'node:stream';
import type { Output } from '../../lib/cli/io.js';
import { runCli } from '../../lib/cli/program.js';
import type { TestPlace } from './test-stores.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  /** Runs a command on the store. */
  run(...args: string[]): Promise<Ran>;
  /** Runs a command with `--json`, which has to end with 0, and reads its one line. */
  json<T = Readonly<Record<string, unknown>>>(...args: string[]): Promise<T>;
}

/** @param place - Where `KEYWARD_DATABASE` points. */
export function commandLine({ url }: Pick<TestPlace, 'url'>, stdin = ''): CommandLine {
  async function run(...args: string[]): Promise<Ran> {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCli(args, {
      stdin: Readable.from([stdin]),
      stdout: outputInto(out),
      stderr: outputInto(err),
      env: { KEYWARD_DATABASE: url },
    });
    return { code, out: out.join(''), err: err.join('') };
  }

  async function json<T>(...args: string[]): Promise<T> {
    const { code, out, err } = await run(...args, '--json');
    if (code !== 0 || out.trimEnd().includes('\n'))
      throw new Error(`${args.join(' ')} ended with ${code}: ${err}${out}`);
    return JSON.parse(out) as T;
  }

  return { run, json };
}

/** Runs a command as a person at a terminal does, who types `answer` when a question is asked. */
export async function typing(
  { url }: Pick<TestPlace, 'url'>,
  answer: string,
  args: readonly string[],
  terminals = { stdin: true, stderr: true },
): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(args, {
    stdin: Object.assign(Readable.from([answer]), { isTTY: terminals.stdin }),
    stdout: outputInto(out),
    stderr: { ...outputInto(err), isTerminal: terminals.stderr },
    env: { KEYWARD_DATABASE: url },
  });
  return { code, out: out.join(''), err: err.join('') };
}

/** Collects what is written, as a pipe would. */
export function outputInto(parts: string[]): Output {
  return { isTerminal: false, write: (text) => void parts.push(text), flush: async () => undefined };
}
