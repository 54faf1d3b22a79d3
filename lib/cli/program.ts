/** The command line, put together. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAccessKeyCommands } from './access-key-commands.js';
import { addAccountCommands } from './account-commands.js';
import { addApiKeyCommands } from './api-key-commands.js';
import { addAuditCommand } from './audit-command.js';
import { addImportCommand } from './import-command.js';
import { EXIT, type Io } from './io.js';
import { addKeyTextCommands } from './key-text-commands.js';
import { addMigrateCommand } from './migrate-command.js';
import { addRoutesCommand } from './routes-command.js';
import { addServeCommand } from './serve-command.js';
import { toldError } from './told-error.js';

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
    const told = toldError(error);
    if (told === undefined) throw error;
    io.stderr.write(`${told.message}\n`);
    return told.exitCode;
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
