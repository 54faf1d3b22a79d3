/**
 * The input, the outputs and the environment variables of a command, as an object that tests can replace. Also the
 * class of expected errors, and the exit codes.
 */
import type { Readable } from 'node:stream';
import { KeywardError } from '../errors/keyward-error.js';

/** Standard output or standard error. */
export interface Output {
  write(text: string): void;
  /**
   * Resolves when everything that was written has left the process.
   *
   * @throws Error of the operating system, such as `EPIPE` or `ENOSPC`, if a part of the output could not be written.
   */
  flush(): Promise<void>;
  /** Whether the output is a terminal, and not a file or a pipe. */
  readonly isTerminal: boolean;
}

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** An expected error of a command: only its message is printed, without a stack. */
export class CliError extends KeywardError {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.refused) {
    super('command_failed', message);
    this.exitCode = exitCode;
  }
}

/** The exit codes of the command line. */
export const EXIT = {
  done: 0,
  /**
   * The command was understood but not carried out. Or it found the problem that it looks for: a route without a guard,
   * or a leaked key.
   */
  refused: 1,
  /** The command was not understood: an argument, an option, a variable or an input file is missing or wrong. */
  usage: 2,
  /** The store cannot be reached or opened, or a package that the command needs is not installed. */
  unavailable: 3,
  /** The command did its work, but its output could not be written. */
  outputLost: 4,
} as const;
