/** `keyward access-keys …` */
import type { Command } from 'commander';
import type { Io } from './io.js';
import {
  addCommonCommands,
  type EditOptions,
  editKey,
  printKey,
  type SettingOptions,
  settingsOf,
  showOnce,
  switchedBy,
  withClearings,
  withEnvironment,
  withSettings,
  withSwitches,
} from './key-commands.js';
import { collect } from './read-options.js';
import { type CommonOptions, inSession, withStoreOptions } from './session.js';

interface CreateOptions extends SettingOptions {
  readonly account: string;
  readonly environment?: 'live' | 'sandbox';
  readonly defaultScope?: readonly string[];
}

interface AccessKeyEditOptions extends EditOptions {
  readonly defaultScope?: readonly string[];
  readonly revokeTokens?: boolean;
}

export function addAccessKeyCommands(program: Command, io: Io): void {
  const keys = program.command('access-keys').description('Identifiers and Secrets that buy access tokens');
  addCommonCommands(keys, io, (management) => management.accessKeys, 'access key');

  withEnvironment(withSettings(keys.command('create').description('make an access key; its Secret is shown this once')))
    .requiredOption('--account <id>', 'whose')
    .option('--default-scope <scope>', 'a scope granted when none is asked for; may be repeated', collect)
    .addHelpText('after', '\nExample: keyward access-keys create --account acme --scope payments')
    .action(async (options: CreateOptions) => {
      const { account, environment, defaultScope, scope = [] } = options;
      const settings = {
        ...settingsOf(options),
        scopes: scope || [],
        ...(environment && { environment }),
        ...(defaultScope && { defaultScopes: defaultScope }),
      };
      const { key, text } = await inSession(io, options, ({ management, memberOf }) =>
        management.accessKeys.create(memberOf(account), settings),
      );
      showOnce(io, options, key, text);
    });

  withSwitches(withClearings(keys.command('edit <id>').description('change an access key; what is not said stays')))
    .option('--default-scope <scope>', 'a scope granted when none is asked for; may be repeated', collect)
    .option('--revoke-tokens', 'the tokens that it has bought are dead')
    .action(async (id: string, options: AccessKeyEditOptions) => {
      const { scope, defaultScope, revokeTokens } = options;
      const { scopes: _, ...settings } = settingsOf(options);
      const edit = {
        ...settings,
        ...(scope && { scopes: scope }),
        ...(defaultScope && { defaultScopes: defaultScope }),
        ...switchedBy(options),
        ...(revokeTokens && { revokeTokens }),
      };
      await editKey(io, options, id, edit, (management) => management.accessKeys);
    });

  withStoreOptions(keys.command('add-secret <id>').description('add a second Secret, shown this once')).action(
    async (id: string, options: CommonOptions) => {
      const { key, text } = await inSession(io, options, async ({ management, memberOfKey }) =>
        management.accessKeys.addSecret(await memberOfKey(id), id),
      );
      showOnce(io, options, key, text);
    },
  );

  withStoreOptions(
    keys.command('delete-secret <id> <secret>').description('end one Secret, by the id that view shows'),
  ).action(async (id: string, secret: string, options: CommonOptions) => {
    const key = await inSession(io, options, async ({ management, memberOfKey }) =>
      management.accessKeys.deleteSecret(await memberOfKey(id), id, secret),
    );
    printKey(io, options, key);
  });
}
