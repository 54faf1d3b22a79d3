/**
 * `keyward keys ...`: creates and edits secret and public keys. shared-key-commands.ts adds the commands that the group
 * `access-keys` has too, such as `revoke`.
 */
import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { allOr, collect } from '../option-values.js';
import { showSecret } from '../show-secret.js';
import { withStore } from '../with-store.js';
import {
  type EditOptions,
  replacesAll,
  type SettingOptions,
  settingsOf,
  switchedBy,
  withClearings,
  withEnvironment,
  withSettings,
  withSwitches,
} from './key-setting-options.js';
import { addCommonCommands, editKey } from './shared-key-commands.js';

interface CreateOptions extends SettingOptions {
  readonly account: string;
  readonly kind: 'secret' | 'public';
  readonly environment?: 'live' | 'sandbox';
  readonly api: readonly string[];
}

interface ApiKeyEditOptions extends EditOptions {
  readonly api?: readonly string[];
}

/** @returns The command group `keyward keys`, to which the caller adds more commands. */
export function addApiKeyCommands(program: Command, io: Io): Command {
  const keys = program.command('keys').description('manage secret and public keys');
  addCommonCommands(keys, io, (management) => management.keys, 'key');

  withEnvironment(
    withSettings(keys.command('create').description('create a secret or public key; a secret key is shown only once')),
  )
    .requiredOption('--account <id>', 'the account that the key belongs to')
    .addOption(
      new Option('--kind <kind>', 'the kind of key: secret for servers, or public for browsers and apps')
        .choices(['secret', 'public'])
        .makeOptionMandatory(),
    )
    .requiredOption('--api <name>', 'an API that the key may use, or "all" for every API; may be repeated', collect)
    .addHelpText('after', '\nExample: keyward keys create --account acme --kind secret --api payments')
    .action(async (options: CreateOptions) => {
      const { account, kind, environment, api } = options;
      const settings = {
        kind,
        ...(environment && { environment }),
        apis: allOr('--api', api) ?? [],
        ...settingsOf(options),
      };
      await withStore(io, options, async ({ management, memberOf }) => {
        const member = memberOf(account);
        const created = await management.keys.create(member, settings);
        await showSecret(io, options, created, async () => {
          await management.keys.revoke(member, created.key.id);
          return `the key ${created.key.id} was revoked, because it could not be shown; create another key`;
        });
      });
    });

  withSwitches(withClearings(keys.command('edit <id>').description('change the settings of a key')))
    .option(
      '--no-scope',
      'remove the list of scopes; a secret key then has every scope of its APIs, and a public key has no scopes',
    )
    .option(
      '--api <name>',
      `an API that the key may use, or "all" for every API; may be repeated${replacesAll('APIs')}`,
      collect,
    )
    .action(async (id: string, options: ApiKeyEditOptions) => {
      const { api } = options;
      const edit = { ...(api && { apis: allOr('--api', api) }), ...switchedBy(options), ...settingsOf(options) };
      await editKey(io, options, id, edit, (management) => management.keys);
    });
  return keys;
}
