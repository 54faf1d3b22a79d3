/** The class of expected errors, and the exit codes. */
import { KeywardError } from '../errors/keyward-error.js';

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

/** Node's codes for a file of more than 2 GiB, and for a text that is longer than a string can be. */
const TOO_LARGE = ['ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'];

/**
 * Says in plain words why a file cannot be read, if the error is one of the operating system, such as ENOENT, or if the
 * file is too large for Node to read. Any other error is returned as it is.
 */
export function readErrorOf(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (TOO_LARGE.includes(String(code))) return new CliError(`${file} is too large`, EXIT.usage);
  if (!/^E[A-Z0-9]+$/.test(String(code))) return error;
  if (code === 'ENOENT') return new CliError(`${file} does not exist`, EXIT.usage);
  if (code === 'EISDIR') return new CliError(`${file} is a folder; expected a file`, EXIT.usage);
  // Node writes: "EACCES: permission denied, open '/etc/shadow'".
  const reason = message.replace(`${code}: `, '').replace(/, [a-z]+(?: '.*')?$/s, '');
  return new CliError(`${file} cannot be read: ${reason}`, EXIT.usage);
}
