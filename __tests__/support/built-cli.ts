/** The command line as it is installed: built, in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../examples/built-service.js';

const MAIN = join(ROOT, 'dist/cli/main.js');

export interface RunningProgram {
  readonly child: ReturnType<typeof spawn>;
  /** Resolves with the first line that it prints. */
  readonly firstLine: Promise<string>;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = ROOT): RunningProgram {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...process.env, ...env } });
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
