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
      '\nkeyward does this whenever it opens the database. You need this command only if the database user of the service cannot create tables: run it as a user who can.',
    )
    .action(async (options: CommonOptions) => {
      const store = await openReady(databaseOf(io, options));
      await store.close();
      if (options.json) printJson(io, { migrated: true });
      else printLine(io, 'The tables are up to date.');
    });
}
