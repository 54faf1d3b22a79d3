/** `keyward migrate`: creates or updates the tables of the database. */
import type { Command } from 'commander';
import { databaseOf, openReady } from '../database.js';
import type { Io } from '../io.js';
import { printJson, printLine } from '../terminal/output.js';
import { type CommonOptions, withStoreOptions } from '../with-store.js';
import { wrapped } from '../wrapped-text.js';

export function addMigrateCommand(program: Command, io: Io): void {
  withStoreOptions(program.command('migrate').description('create or update the tables of the database'))
    .addHelpText(
      'after',
      wrapped(
        'keyward does this every time it opens the database. You need this command only if your app or keyward serve connects as a database user that cannot create tables. In that case, run it as a database user that can.',
      ),
    )
    .action(async (options: CommonOptions) => {
      const store = await openReady(databaseOf(io, options));
      await store.close();
      if (options.json) printJson(io, { migrated: true });
      else printLine(io, 'The tables are up to date.');
    });
}
