/**
 * `keyward access-keys ...`: creates and edits access keys, adds and deletes their secrets, and manages their public
 * keys. shared-key-commands.ts adds the commands that `keyward keys` has too, such as `revoke`.
 */
import { type Command, Option } from 'commander';
import type { KeyView } from '../../management/keys/key-view.js';
import type { Io } from '../io.js';
import { collect } from '../option-values.js';
import { showSecret } from '../show-secret.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';
import { addPublicKeyCommands } from './access-key-public-keys.js';
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
import { addCommonCommands, describeKey, editKey, printKey } from './shared-key-commands.js';

interface CreateOptions extends SettingOptions {
  readonly account: string;
  readonly environment?: 'live' | 'sandbox';
  readonly defaultScope?: readonly string[];
  readonly requireConfirmation?: Confirmation;
}

interface AccessKeyEditOptions extends EditOptions, ConfirmOption {
  readonly defaultScope?: readonly string[];
  readonly revokeTokens?: boolean;
  readonly requireConfirmation?: Confirmation | false;
}

type Confirmation = 'dpop' | 'mtls' | 'any';

export function addAccessKeyCommands(program: Command, io: Io): void {
  const keys = program
    .command('access-keys')
    .description('manage access keys: client IDs and client secrets for obtaining access tokens');
  addCommonCommands(keys, io, (management) => management.accessKeys, 'access key');

  withEnvironment(
    withSettings(keys.command('create').description('create an access key; its secret is shown only once')),
  )
    .requiredOption('--account <id>', 'the account that the key belongs to')
    .option(
      '--default-scope <scope>',
      'a scope that is granted if a token request has no scope; may be repeated',
      collect,
    )
    .addOption(confirmationOption())
    .addHelpText('after', '\nExample: keyward access-keys create --account acme --scope payments')
    .action(async (options: CreateOptions) => {
      const { account, environment, defaultScope, scope = [], requireConfirmation } = options;
      const settings = {
        ...settingsOf(options),
        scopes: scope || [],
        ...(environment && { environment }),
        ...(defaultScope && { defaultScopes: defaultScope }),
        ...confirmationOf(requireConfirmation),
      };
      await withStore(io, options, async ({ management, memberOf }) => {
        const member = memberOf(account);
        const created = await management.accessKeys.create(member, settings);
        await showSecret(io, options, created, async () => {
          await management.accessKeys.revoke(member, created.key.id);
          return `the access key ${created.key.id} was revoked, because its secret could not be shown; create another access key`;
        });
      });
    });

  withConfirmation(
    withSwitches(withClearings(keys.command('edit <id>').description('change the settings of an access key'))),
  )
    .option(
      '--default-scope <scope>',
      `a scope that is granted if a token request has no scope; may be repeated${replacesAll('default scopes')}`,
      collect,
    )
    .addOption(confirmationOption())
    .option('--no-require-confirmation', 'no longer require token binding')
    .option('--revoke-tokens', 'revoke all access tokens that have been issued with this key')
    .action(async (id: string, options: AccessKeyEditOptions) => {
      const { scope, defaultScope, revokeTokens, requireConfirmation } = options;
      const { scopes: _, ...settings } = settingsOf(options);
      const edit = {
        ...settings,
        ...(scope && { scopes: scope }),
        ...(defaultScope && { defaultScopes: defaultScope }),
        ...switchedBy(options),
        ...(revokeTokens && { revokeTokens }),
        ...confirmationOf(requireConfirmation),
      };
      const question = (key: KeyView) =>
        `Revoke every access token that was issued with ${describeKey('access key', key)}? Clients will be refused until they obtain a new access token. This cannot be undone.`;
      await editKey(io, options, id, edit, (management) => management.accessKeys, revokeTokens ? question : undefined);
    });

  withStoreOptions(
    keys.command('add-secret <id>').description('add a client secret to an access key; the secret is shown only once'),
  ).action(async (id: string, options: CommonOptions) => {
    await withStore(io, options, async ({ management, memberOfKey }) => {
      const member = await memberOfKey(id);
      const added = await management.accessKeys.addSecret(member, id);
      // `secrets` is sorted: the newest secret comes first.
      const secret = String(added.key.secrets[0]?.id);
      const takeBack = async () => {
        await management.accessKeys.deleteSecret(member, id, secret);
        return 'the new secret was deleted, because it could not be shown; add another secret';
      };
      const remedy = `to delete the secret, run: keyward access-keys delete-secret ${id} ${secret}`;
      await showSecret(io, options, added, takeBack, remedy);
    });
  });

  withConfirmation(
    withStoreOptions(
      keys
        .command('delete-secret <id> <secret-id>')
        .description(
          'delete a client secret from an access key; "keyward access-keys view" shows the ID of each secret',
        ),
    ),
  ).action(async (id: string, secret: string, options: CommonOptions & ConfirmOption) => {
    const key = await withStore(io, options, async ({ management, memberOfKey }) => {
      const member = await memberOfKey(id);
      await confirm(
        io,
        options,
        `Delete the client secret ${secret} from the access key ${id}? This cannot be undone.`,
      );
      return await management.accessKeys.deleteSecret(member, id, secret);
    });
    printKey(io, options, key);
  });

  addPublicKeyCommands(keys, io);
}

function confirmationOption(): Option {
  const option = new Option(
    '--require-confirmation <method>',
    'require token binding with this method: access tokens are bound to the client, and token requests that do not use the method are refused; "any" means DPoP or mTLS',
  );
  return option.choices(['dpop', 'mtls', 'any']);
}

function confirmationOf(method: Confirmation | false | undefined) {
  if (method === undefined) return {};
  return { requireConfirmation: method === false ? null : method === 'any' ? (true as const) : method };
}
