/** The command line, put together. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ManagementError } from '../management/management-error.js';
import { StoreError } from '../store/store-error.js';
import { addAccessKeyCommands } from './access-key-commands.js';
import { addAccountCommands } from './account-commands.js';
import { addApiKeyCommands } from './api-key-commands.js';
import { addAuditCommand } from './audit-command.js';
import { addImportCommand } from './import-command.js';
import { CliError, EXIT, type Io } from './io.js';
import { addKeyTextCommands } from './key-text-commands.js';
import { addMigrateCommand } from './migrate-command.js';
import { addRoutesCommand } from './routes-command.js';
import { addServeCommand } from './serve-command.js';

/**
 * Runs one command line.
 *
 * @param args - What stands behind `keyward`.
 * @returns The exit code.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  try {
    await programFor(io).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Help and mistakes of usage were printed by Commander.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { message, exitCode } = toldOf(error);
    io.stderr.write(`${message}\n`);
    return exitCode;
  }
}

function programFor(io: Io): Command {
  const program = new Command('keyward')
    .description('Accounts, keys and access keys, the token endpoint, and the routes of an app.')
    .version(versionOf())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .showHelpAfterError('(--help tells more)');
  addAccountCommands(program, io);
  const keys = addApiKeyCommands(program, io);
  addImportCommand(keys, io);
  addKeyTextCommands(keys, io);
  addAccessKeyCommands(program, io);
  addAuditCommand(program, io);
  addMigrateCommand(program, io);
  addRoutesCommand(program, io);
  addServeCommand(program, io);
  return program;
}

function versionOf(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** A sentence for each mistake; what is none is thrown on, with its stack. */
function toldOf(error: unknown): { message: string; exitCode: number } {
  if (error instanceof CliError) return error;
  if (error instanceof StoreError) return { message: error.message, exitCode: EXIT.unavailable };
  if (error instanceof ManagementError) {
    return { message: error.message, exitCode: error.status === 503 ? EXIT.unavailable : EXIT.refused };
  }
  const { message, code } = error as NodeJS.ErrnoException;
  // What was typed went into these options; and a file that is not there, or may not be read, says so by itself.
  const isTyped = /^(?:openStore|createIssuer): /.test(message) || typeof code === 'string';
  if (isTyped) return { message, exitCode: EXIT.usage };
  throw error;
}
