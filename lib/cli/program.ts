/** The program `keyward`: defines its commands, runs one command line, and prints its error. */
import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { CliError, EXIT } from './cli-error.js';
import { addAccessKeyCommands } from './commands/access-keys.js';
import { addAccountCommands } from './commands/accounts.js';
import { addAuditCommand } from './commands/audit.js';
import { addEncryptionKeyCommands } from './commands/encryption-key.js';
import { addApiKeyCommands } from './commands/keys.js';
import { addFindCommand } from './commands/keys-find.js';
import { addImportCommand } from './commands/keys-import.js';
import { addKeyTextCommands } from './commands/keys-inspect-and-scan.js';
import { addMigrateCommand } from './commands/migrate.js';
import { addOpenApiCommands } from './commands/openapi.js';
import { addRoutesCommand } from './commands/routes.js';
import { addServeCommand } from './commands/serve.js';
import { addSigningKeyCommands } from './commands/signing-keys.js';
import { type FormattedError, formatError, outputLost } from './format-error.js';
import type { Io } from './io.js';
import { asksForJson, reorderArgs } from './reorder-args.js';
import { escapeText } from './terminal/escape-text.js';
import { jsonLine } from './terminal/output.js';
import { UnknownOptionFirstCommand } from './unknown-option-first.js';

/**
 * Runs one command line.
 *
 * @param args - The arguments after `keyward`.
 * @returns The exit code.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  const isJson = asksForJson(args);
  const code = await run(args, io, isJson);
  try {
    await io.stdout.flush();
  } catch (error) {
    if (code !== EXIT.outputLost) printError(io, isJson, outputLost(error));
    if (code === EXIT.done) return EXIT.outputLost;
  } finally {
    // If standard error fails too, the failure cannot be reported anywhere.
    await io.stderr.flush().catch(() => undefined);
  }
  return code;
}

async function run(args: readonly string[], io: Io, isJson: boolean): Promise<number> {
  const program = programFor(io, isJson);
  try {
    // PostgreSQL cannot store a NUL character in a text. It is refused for every database, so that all behave the same.
    if (args.some((arg) => arg.includes('\0')))
      throw new CliError('an argument contains a NUL character (U+0000); remove this character', EXIT.usage);
    await program.parseAsync([...reorderArgs(program, args)], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    const wasHelp = error instanceof CommanderError && error.exitCode === 0;
    if (wasHelp) return EXIT.done;
    const formatted = formatError(error);
    if (formatted === undefined) throw error;
    // For a command group without a command, such as `keyward keys`, Commander has already printed the help, so no
    // error is printed.
    const isPrinted = error instanceof CommanderError && error.code === 'commander.help' && !isJson;
    if (!isPrinted) printError(io, isJson, formatted);
    if (error instanceof CommanderError && !isPrinted && !isJson) io.stderr.write('(see --help)\n');
    return formatted.exitCode;
  }
}

function printError(io: Io, isJson: boolean, error: FormattedError): void {
  io.stderr.write(isJson ? jsonLine({ error }) : `${escapeText(error.message)}\n`);
}

function programFor(io: Io, isJson: boolean): Command {
  const program = new UnknownOptionFirstCommand('keyward')
    .description(
      'Manage accounts, API keys and access keys; run the token endpoint and the Dashboard; check the routes of an app.',
    )
    .version(versionOf())
    // An argument of a command may begin with `-V`, such as the ID of a signing key. It does not ask for the version.
    .enablePositionalOptions()
    // By default, Commander does not wrap descriptions beside long commands, which leave less than 40 columns.
    .configureHelp({ minWidthToWrap: 30 })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // Commander calls this only to print the help of a command group without a command, such as `keyward keys`.
      // Errors are printed by `run`.
      writeErr: (text) => isJson || io.stderr.write(text),
      outputError: () => undefined,
    });
  addAccountCommands(program, io);
  const keys = addApiKeyCommands(program, io);
  addImportCommand(keys, io);
  addFindCommand(keys, io);
  addKeyTextCommands(keys, io);
  addAccessKeyCommands(program, io);
  addSigningKeyCommands(program, io);
  addEncryptionKeyCommands(program, io);
  addAuditCommand(program, io);
  addMigrateCommand(program, io);
  addRoutesCommand(program, io);
  addOpenApiCommands(program, io);
  addServeCommand(program, io);
  return program;
}

function versionOf(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
