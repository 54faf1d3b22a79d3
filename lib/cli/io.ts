/** What a command has of the world: its tests give another. */
import type { Readable, Writable } from 'node:stream';

export interface Io {
  readonly stdin: Readable;
  readonly stdout: Pick<Writable, 'write'>;
  readonly stderr: Pick<Writable, 'write'> & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A mistake of whoever typed the command: told in a sentence, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What a command ends with. */
export const EXIT = {
  done: 0,
  /** It was refused, or found what it looks for: an open route, a leaked key. */
  refused: 1,
  /** The command was not understood. */
  usage: 2,
  /** The store cannot be reached or opened. */
  unavailable: 3,
} as const;
