/** The input, output and environment of a command, so that tests can replace them. */
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

/** An expected error: it is printed as one sentence, without a stack. */
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
  /** The command was refused, or found a problem that it looks for: an open route, a leaked key. */
  refused: 1,
  /** The command was not understood. */
  usage: 2,
  /** The store cannot be reached or opened. */
  unavailable: 3,
  /** The command did its work, but its output could not be written. */
  outputLost: 4,
} as const;
