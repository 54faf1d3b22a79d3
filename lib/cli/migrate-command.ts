/** `keyward migrate` */
import type { Command } from 'commander';
import { databaseOf, openReady } from './database.js';
import type { Io } from './io.js';
import { printJson, printLine } from './output.js';
import { type CommonOptions, withStoreOptions } from './session.js';

export function addMigrateCommand(program: Command, io: Io): void {
  withStoreOptions(program.command('migrate').description('make the tables, or bring them up to date'))
    .addHelpText('after', '\nWhat opens a store migrates it too. Run this where the service has no right to.')
    .action(async (options: CommonOptions) => {
      const store = await openReady(databaseOf(io, options));
      await store.close();
      if (options.json) printJson(io, { migrated: true });
      else printLine(io, 'The tables are in place.');
    });
}
