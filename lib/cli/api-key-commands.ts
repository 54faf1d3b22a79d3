/** `keyward keys …` */
import { type Command, Option } from 'commander';
import type { Io } from './io.js';
import {
  addCommonCommands,
  type EditOptions,
  editKey,
  type SettingOptions,
  settingsOf,
  showOnce,
  switchedBy,
  withClearings,
  withEnvironment,
  withSettings,
  withSwitches,
} from './key-commands.js';
import { allOr, collect } from './read-options.js';
import { inSession } from './session.js';

interface CreateOptions extends SettingOptions {
  readonly account: string;
  readonly kind: 'secret' | 'public';
  readonly environment?: 'live' | 'sandbox';
  readonly api: readonly string[];
}

interface ApiKeyEditOptions extends EditOptions {
  readonly api?: readonly string[];
}

/** @returns The command, for those that work without a store. */
export function addApiKeyCommands(program: Command, io: Io): Command {
  const keys = program.command('keys').description('secret and public keys');
  addCommonCommands(keys, io, (management) => management.keys, 'key');

  withEnvironment(withSettings(keys.command('create').description('make a key; its text is shown this once')))
    .requiredOption('--account <id>', 'whose')
    .addOption(new Option('--kind <kind>', 'where it is used').choices(['secret', 'public']).makeOptionMandatory())
    .requiredOption('--api <name>', 'an API that it reaches, or all; may be repeated', collect)
    .addHelpText('after', '\nExample: keyward keys create --account acme --kind secret --api payments')
    .action(async (options: CreateOptions) => {
      const { account, kind, environment, api } = options;
      const settings = { kind, ...(environment && { environment }), apis: allOr(api) ?? [], ...settingsOf(options) };
      const { key, text } = await inSession(io, options, ({ management, memberOf }) =>
        management.keys.create(memberOf(account), settings),
      );
      showOnce(io, options, key, text);
    });

  withSwitches(withClearings(keys.command('edit <id>').description('change a key; what is not said stays')))
    .option('--no-scope', 'take the scopes away: a secret key then holds every one of its APIs')
    .option('--api <name>', 'an API that it reaches, or all; may be repeated', collect)
    .action(async (id: string, options: ApiKeyEditOptions) => {
      const { api } = options;
      const edit = { ...(api && { apis: allOr(api) }), ...switchedBy(options), ...settingsOf(options) };
      await editKey(io, options, id, edit, (management) => management.keys);
    });
  return keys;
}
