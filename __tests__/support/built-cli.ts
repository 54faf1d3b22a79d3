/**
 * The command line as it is installed: built, in a process of its own. For mutants it is not built, and runs in the process of the
 * test, where Stryker knows which test executes which mutant.
 */
import { spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build as buildPackage, ROOT } from '../examples/built-service.js';

const MAIN = join(ROOT, 'dist/cli/main.js');

/** Whether this is a run of mutants: `npm run mutation` sets the variable. */
export const forMutants = process.env.KEYWARD_MUTATION !== undefined;
const { spawnInProcess } = forMutants ? await import('./cli-in-process.js') : {};

/** What tests use of a child process. */
export interface Child extends EventEmitter {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  kill(signal: NodeJS.Signals): boolean;
}

export interface RunningProgram {
  readonly child: Child;
  /** Resolves with the first line that it prints. */
  readonly firstLine: Promise<string>;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** Builds the program if it is older than its sources. */
export async function build(): Promise<void> {
  if (!forMutants) await buildPackage();
}

export function startProgram(args: readonly string[], more: NodeJS.ProcessEnv = {}, cwd = ROOT): RunningProgram {
  const env = { ...process.env, ...more };
  const child: Child = spawnInProcess?.(args, env, cwd) ?? spawn(process.execPath, [MAIN, ...args], { cwd, env });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (said.out.includes('\n')) resolve(said.out.slice(0, said.out.indexOf('\n')));
    });
    void ended.then(({ code, err }) => reject(new Error(`it ended with ${code}: ${err}`)));
  });
  firstLine.catch(() => undefined);
  return { child, firstLine, ended };
}

/** Runs a command to its end. */
export async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = ROOT) {
  return await startProgram(args, env, cwd).ended;
}
