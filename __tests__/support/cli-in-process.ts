/** The command line in the process of a test, with what tests use of a child process. */
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import type { Output } from '../../lib/cli/io.js';
import { runCli } from '../../lib/cli/program.js';
import type { Child } from './built-cli.js';

class InProcessChild extends EventEmitter implements Child {
  readonly pid = process.pid;
  readonly stdout = new Readable({ read: () => undefined });
  readonly stderr = new Readable({ read: () => undefined });
  exitCode: number | null = null;
  #hasEnded = false;
  readonly #folder = process.cwd();

  constructor(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
    super();
    process.chdir(cwd);
    const io = {
      stdin: Readable.from([]),
      stdout: this.#outputInto(this.stdout),
      stderr: this.#outputInto(this.stderr),
      env,
    };
    runCli(args, io).then(
      (code) => this.#end(code),
      (error) => {
        // Node prints an error that nothing catches, and exits with 1.
        io.stderr.write(`${inspect(error)}\n`);
        this.#end(1);
      },
    );
  }

  kill(signal: NodeJS.Signals): boolean {
    if (this.#hasEnded) return false;
    // Nothing in the process of the test can be killed, so it is asked to end.
    const name = signal === 'SIGKILL' ? 'SIGTERM' : signal;
    // A process that does not listen for a signal is ended by it.
    if (!process.emit(name, name)) this.#end(null);
    return true;
  }

  /** What is written in one step arrives as one chunk, as through a pipe. */
  #outputInto(stream: Readable): Output {
    let pending = '';
    const push = () => {
      stream.push(pending);
      pending = '';
    };
    const write = (text: string) => {
      if (this.#hasEnded) return;
      if (pending === '') setImmediate(push);
      pending += text;
    };
    return { isTerminal: false, write, flush: async () => undefined };
  }

  #end(code: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    process.chdir(this.#folder);
    // After what was written last.
    setImmediate(() => {
      this.exitCode = code;
      for (const stream of [this.stdout, this.stderr]) stream.push(null);
      this.emit('exit', code);
      setImmediate(() => this.emit('close', code));
    });
  }
}

/** Runs a command in the folder. All commands that run at the same time share this folder and each signal. */
export function spawnInProcess(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Child {
  return new InProcessChild(args, env, cwd);
}
