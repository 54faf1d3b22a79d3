/** `keyward accounts ...`: creates, changes, shows, lists, disables and enables the accounts that keys belong to. */
import type { Command } from 'commander';
import type { Account } from '../../management/accounts/account-view.js';
import type { Management } from '../../management/create-management.js';
import { ManagementError } from '../../management/management-error.js';
import type { Io } from '../io.js';
import { allOr, collect } from '../option-values.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { printFields, printJson, printTable, printWarning, textOfList, textOfTime } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';
import { wrapped } from '../wrapped-text.js';
import { type Removal, removedEntitlements } from './removed-entitlements.js';

interface PutOptions extends CommonOptions, ConfirmOption {
  readonly api?: readonly string[];
  readonly scope?: readonly string[];
  readonly channel?: readonly string[];
  readonly platform?: readonly string[];
}

export function addAccountCommands(program: Command, io: Io): void {
  const accounts = program.command('accounts').description('manage the accounts that keys belong to');

  withConfirmation(
    withStoreOptions(
      accounts.command('put <id>').description('create an account, or change the settings of an existing account'),
    ),
  )
    .option(
      '--api <name>',
      'an API that keys of the account may use, or "all" for every API; may be repeated; the given values replace the existing APIs of the account',
      collect,
    )
    .option(
      '--scope <scope>',
      'a scope that keys of the account may have; may be repeated; the given values replace the existing scopes of the account',
      collect,
    )
    .option(
      '--channel <id>',
      'the ID of a processing channel that keys of the account may use, or "all" for every channel; may be repeated; the given values replace the existing channels of the account',
      collect,
    )
    .option(
      '--platform <name>',
      'an e-commerce platform that keys of the account may be used on; may be repeated; the given values replace the existing platforms of the account',
      collect,
    )
    .addHelpText(
      'after',
      wrapped(
        'To add an API, also pass the APIs that the account already has, because the given APIs replace the existing ones. The same applies to scopes, channels and platforms.',
      ),
    )
    .addHelpText('after', '\nExample: keyward accounts put acme --api payments --api disputes --scope payments')
    .action(async (id: string, options: PutOptions) => {
      const { api, scope, channel, platform } = options;
      const settings = {
        apis: allOr('--api', api),
        scopes: scope,
        channels: allOr('--channel', channel),
        platforms: platform,
      };
      const { before, account } = await withStore(io, { ...options, account: id }, async ({ management, operator }) => {
        const before = await accountIfExists(management, id);
        const removals = removedEntitlements(before, settings);
        if (removals.length > 0) await confirm(io, options, questionAbout(id, removals));
        return { before, account: await management.accounts.put(operator, id, settings) };
      });
      show(account, options);
      warnOfRemovals(id, removedEntitlements(before, account), options);
      warnOfNoApi(account, options);
    });

  withStoreOptions(accounts.command('view <id>').description('show an account')).action(
    async (id: string, options: CommonOptions) => {
      const about = { ...options, account: id, readOnly: true };
      show(await withStore(io, about, ({ management }) => management.accounts.view(id)), options);
    },
  );

  withStoreOptions(accounts.command('list').description('list all accounts')).action(async (options: CommonOptions) => {
    const all = await withStore(io, { ...options, readOnly: true }, ({ management }) => allAccounts(management));
    if (options.json) return printJson(io, { accounts: all });
    const rows = all.map(({ id, apis, scopes, disabledAt }) => [
      ...[id, textOfList(apis), textOfList(scopes), disabledAt === null ? 'active' : 'disabled'],
    ]);
    printTable(
      io,
      ['ID', 'APIS', 'SCOPES', 'STATE'],
      rows,
      'There are no accounts. To create one, run: keyward accounts put ID --api NAME',
    );
  });

  withConfirmation(
    withStoreOptions(
      accounts
        .command('disable <id>')
        .description('disable an account, so that its keys are refused until it is enabled again'),
    ),
  ).action(async (id: string, options: CommonOptions & ConfirmOption) => {
    const account = await withStore(io, { ...options, account: id }, async ({ management, operator }) => {
      const { disabledAt } = await management.accounts.view(id);
      if (disabledAt === null) {
        const what =
          'Its API keys, its access keys and their access tokens will be refused until the account is enabled again.';
        await confirm(io, options, `Disable the account ${id}? ${what}`);
      }
      return await management.accounts.setDisabled(operator, id, true);
    });
    show(account, options);
  });

  withStoreOptions(
    accounts.command('enable <id>').description('enable an account, so that its keys are accepted again'),
  ).action(async (id: string, options: CommonOptions) => {
    const account = await withStore(io, { ...options, account: id }, ({ management, operator }) =>
      management.accounts.setDisabled(operator, id, false),
    );
    show(account, options);
  });

  /** Warns about what was removed from the account, and prints the command that restores it. */
  function warnOfRemovals(id: string, removals: readonly Removal[], { json }: CommonOptions): void {
    if (removals.length === 0) return;
    const what = wordsOf(removals);
    const remedy = `keyward accounts put ${id} ${removals.map(({ restoredBy }) => restoredBy).join(' ')}`;
    printWarning(io, json, `the command removed ${what} from the account ${id}; to undo this, run: ${remedy}`);
  }

  /**
   * Warns if the account has no APIs. Every secret or public key needs an API of its account, so none can be created.
   */
  function warnOfNoApi({ id, apis }: Account, { json }: CommonOptions): void {
    if (apis === 'all' || apis.length > 0) return;
    const remedy = `to add an API, run: keyward accounts put ${id} --api NAME`;
    printWarning(io, json, `this account has no APIs, so secret and public keys cannot be created for it; ${remedy}`);
  }

  function show(account: Account, { json }: CommonOptions): void {
    if (json) {
      printJson(io, { account });
      return;
    }
    printFields(io, {
      id: account.id,
      apis: textOfList(account.apis),
      scopes: textOfList(account.scopes),
      channels: textOfList(account.channels),
      platforms: textOfList(account.platforms),
      created: textOfTime(account.createdAt),
      disabled: textOfTime(account.disabledAt),
    });
  }
}

/** Returns the account, or `undefined` if it does not exist. */
async function accountIfExists({ accounts }: Management, id: string): Promise<Account | undefined> {
  try {
    return await accounts.view(id);
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function questionAbout(id: string, removals: readonly Removal[]): string {
  const losesPlatforms = removals.some(({ list }) => list === 'platforms');
  const losesAccess = removals.some(({ list }) => list !== 'platforms');
  const others = losesAccess ? ' Its keys will lose this access immediately.' : '';
  const platforms = losesPlatforms
    ? ` ${losesAccess ? 'However, existing' : 'Existing'} keys for a removed platform will still be accepted.`
    : '';
  return `Remove ${wordsOf(removals)} from the account ${id}?${others}${platforms}`;
}

function wordsOf(removals: readonly Removal[]): string {
  return removals.map(({ what }) => what).join(' and ');
}

async function allAccounts({ accounts }: Management): Promise<readonly Account[]> {
  const all: Account[] = [];
  for (let after: string | undefined; ; ) {
    const page = await accounts.list({ after, limit: 200 });
    all.push(...page.items);
    if (page.next === null) return all;
    after = page.next;
  }
}
