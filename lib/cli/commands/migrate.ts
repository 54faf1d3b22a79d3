/** `keyward migrate` */
import type { Command } from 'commander';
import { databaseOf, openReady } from '../database.js';
import type { Io } from '../io.js';
import { printJson, printLine } from '../terminal/output.js';
import { type CommonOptions, withStoreOptions } from '../with-store.js';

export function addMigrateCommand(program: Command, io: Io): void {
  withStoreOptions(program.command('migrate').description('create the tables, or bring them up to date'))
    .addHelpText(
      'after',
      '\nEvery command that opens a store migrates it. Run this as a database user who may create tables, if the user of the service may not.',
    )
    .action(async (options: CommonOptions) => {
      const store = await openReady(databaseOf(io, options));
      await store.close();
      if (options.json) printJson(io, { migrated: true });
      else printLine(io, 'The tables are in place.');
    });
}
