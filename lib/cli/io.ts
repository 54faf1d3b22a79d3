/**
 * The input, the outputs and the environment variables of a command, as an object that tests can replace.
 */
import type { Readable } from 'node:stream';

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
