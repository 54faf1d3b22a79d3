/** What is told of an error: a sentence in the words that were typed, and the exit code. */
import { ManagementError } from '../management/management-error.js';
import { MissingPackageError } from '../store/optional-package.js';
import { StoreError } from '../store/store-error.js';
import { CliError, EXIT } from './io.js';

export interface ToldError {
  readonly message: string;
  readonly exitCode: number;
}

/** Fields of the management, by the options that fill them. */
const OPTION_OF: Readonly<Record<string, string>> = {
  name: '--name',
  apis: '--api',
  scopes: '--scope',
  defaultScopes: '--default-scope',
  channels: '--channel',
  platform: '--platform',
  platforms: '--platform',
  expiresAt: '--expires',
  action: '--action',
  after: '--after',
};

/** @returns `undefined` for what is no mistake of whoever typed, and needs its stack. */
export function toldError(error: unknown): ToldError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof MissingPackageError) {
    const message = `A package that this needs is not installed: npm install ${error.packages}`;
    return { message, exitCode: EXIT.unavailable };
  }
  if (error instanceof StoreError) return { message: error.message, exitCode: EXIT.unavailable };
  if (error instanceof ManagementError) {
    return { message: asTyped(error), exitCode: error.status === 503 ? EXIT.unavailable : EXIT.refused };
  }
  const { message, code } = error as NodeJS.ErrnoException;
  // A file that is not there, or may not be read, says so by itself.
  return typeof code === 'string' ? { message, exitCode: EXIT.usage } : undefined;
}

function asTyped({ field = '', message }: ManagementError): string {
  const option = OPTION_OF[field];
  return option === undefined ? message : message.replace(`${field}:`, `${option}:`);
}
