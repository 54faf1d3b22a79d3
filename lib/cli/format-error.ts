/**
 * Converts an error to a message, an exit code, and a code for programs. An error of `keyward/management` names a
 * field, such as `expiresAt:`. The message names the option that sets the field instead: `--expires:`.
 */
import { CommanderError } from 'commander';
import { ManagementError } from '../management/management-error.js';
import { MissingPackageError } from '../store/optional-package.js';
import { StoreError } from '../store/store-error.js';
import { CliError, EXIT } from './cli-error.js';

export interface FormattedError {
  /**
   * A code for programs: for a `ManagementError` or `StoreError`, the code of that error. For any other error it
   * depends on the exit code: `refused`, `usage`, `unavailable`, `output_lost`, or `signal` for an interrupted command.
   */
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

/** The option that sets each field. If a field has no option, the message keeps the name of the field. */
const OPTION_OF: Readonly<Record<string, string>> = {
  name: '--name',
  apis: '--api',
  scopes: '--scope',
  defaultScopes: '--default-scope',
  channels: '--channel',
  platform: '--platform',
  platforms: '--platform',
  expiresAt: '--expires',
  metadata: '--metadata',
  allowedAddresses: '--allow-address',
  limits: '--limit',
  requireConfirmation: '--require-confirmation',
  unusedSince: '--unused-since',
  from: '--from',
  to: '--to',
  action: '--action',
  after: '--after',
  text: '--text',
  api: '--api',
  subject: '--subject',
  actor: '--actor',
};

const CODE_OF: Readonly<Record<number, string>> = {
  [EXIT.refused]: 'refused',
  [EXIT.usage]: 'usage',
  [EXIT.unavailable]: 'unavailable',
  [EXIT.outputLost]: 'output_lost',
};

/**
 * Formats an expected error. It returns `undefined` for an unexpected error, which the caller throws again, so that
 * Node prints its stack.
 */
export function formatError(error: unknown): FormattedError | undefined {
  if (error instanceof CliError) return formatted(error.message, error.exitCode);
  if (error instanceof CommanderError) return formatted(usageMessage(error), EXIT.usage);
  if (error instanceof MissingPackageError) {
    const message = `a package that this command needs is not installed; run: npm install ${error.packages}`;
    return formatted(message, EXIT.unavailable);
  }
  if (error instanceof StoreError) return formatted(error.message, EXIT.unavailable, error.code);
  if (error instanceof ManagementError) {
    return formatted(asTyped(error), error.status === 503 ? EXIT.unavailable : EXIT.refused, error.code);
  }
  // An error about a file that was named on the command line, with its path, as Node writes it.
  if (isFileError(error)) return formatted(error.message, EXIT.usage);
  return undefined;
}

/** Error codes of the operating system for a path that is wrong, or that this user may not access. */
const FILE_ERRORS = [
  ...['EACCES', 'EBUSY', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EPERM', 'EROFS'],
];

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return FILE_ERRORS.includes(String((error as NodeJS.ErrnoException | null | undefined)?.code));
}

/**
 * Makes the error for output that could not be written, for example because the disk is full.
 *
 * @param error - The error with which `flush` rejected.
 * @param remedy - What the operator can do; it is appended to the message.
 */
export function outputLost(error: unknown, remedy = ''): FormattedError {
  const reason = error instanceof Error ? error.message : String(error);
  return formatted(`the output could not be written: ${reason}${remedy}`, EXIT.outputLost);
}

function formatted(message: string, exitCode: number, code = CODE_OF[exitCode] ?? 'signal'): FormattedError {
  return { code, message, exitCode };
}

/** Descriptions of values that are written for programs, and what the user has to type instead. */
const TYPED_VALUES: readonly (readonly [RegExp, string])[] = [
  [/: expected a Date( from 1970 to 9999)?$/, ': expected a date$1, such as 2027-01-31'],
  [
    /: expected a list of 1 to (\d+) objects .* requests is a whole number from 1 to ([\d,]+), seconds is .*$/,
    ': expected 1 to $1 rate limits such as 100/1m, each with 1 to $2 requests and a duration from 1s to 7d, and no two with the same duration',
  ],
];

function asTyped({ field = '', message }: ManagementError): string {
  const option = OPTION_OF[field];
  if (option === undefined) return message;
  return TYPED_VALUES.reduce(
    (text, [pattern, words]) => text.replace(pattern, words),
    message.replace(`${field}:`, `${option}:`),
  );
}

/** Matches the message of Commander for an option with a wrong value. */
const WRONG_VALUE = /^error: option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (\w)/s;

/**
 * Converts a message of Commander to the form of our own messages. It removes `error:` and the full stop, and puts the
 * option and its wrong value first. A suggestion such as `(Did you mean --account?)` follows after a semicolon.
 */
function usageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'expected a command; to see the commands, add --help';
  return message
    .replace(
      WRONG_VALUE,
      (_, option: string, value: string, first: string) => `${option} ${value}: ${first.toLowerCase()}`,
    )
    .replace(/^error: /, '')
    .replace(/\n\((\w)(.*)\)$/s, (_, first: string, rest: string) => `; ${first.toLowerCase()}${rest}`)
    .replace(/\. (\w)/g, (_, first: string) => `; ${first.toLowerCase()}`)
    .replace(/\.$/, '');
}
