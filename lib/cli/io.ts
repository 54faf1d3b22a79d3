/**
 * The input, the outputs and the environment of a command as an object, so that tests can replace them; also expected
 * errors and exit codes.
 */
import type { Readable } from 'node:stream';
import { KeywardError } from '../errors/keyward-error.js';

/** Standard output or standard error. */
export interface Output {
  write(text: string): void;
  /**
   * Resolves when everything that was written has left the process.
   *
   * @throws Error of the operating system (`EPIPE`, `ENOSPC`) if a part could not be written.
   */
  flush(): Promise<void>;
  /** Whether it is a terminal. */
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

/** Exit codes. */
export const EXIT = {
  done: 0,
  /**
   * The command was understood but not carried out, or it found a problem that it looks for: an open route, a leaked
   * key.
   */
  refused: 1,
  /** The command was not understood: an argument, an option, a variable or an input file is missing or wrong. */
  usage: 2,
  /** The store cannot be reached or opened, or a package that the command needs is not installed. */
  unavailable: 3,
  /** The command did its work, but its output could not be written. */
  outputLost: 4,
} as const;
