/** `keyward accounts ...`: creates, shows, lists, disables and enables the accounts that keys belong to. */
import type { Command } from 'commander';
import type { Account } from '../../management/accounts/account-view.js';
import type { Management } from '../../management/create-management.js';
import type { Io } from '../io.js';
import { allOr, collect } from '../option-values.js';
import { printFields, printJson, printTable, printWarning, textOfList, textOfTime } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

interface PutOptions extends CommonOptions {
  readonly api?: readonly string[];
  readonly scope?: readonly string[];
  readonly channel?: readonly string[];
  readonly platform?: readonly string[];
}

export function addAccountCommands(program: Command, io: Io): void {
  const accounts = program.command('accounts').description('manage the accounts that keys belong to');

  withStoreOptions(
    accounts.command('put <id>').description('create an account, or change the given settings of an account'),
  )
    .option('--api <name>', 'an API that keys of the account may use, or "all" for every API; may be repeated', collect)
    .option('--scope <scope>', 'a scope that keys of the account may have; may be repeated', collect)
    .option(
      '--channel <id>',
      'the ID of a processing channel that keys of the account may use, or "all" for every channel; may be repeated',
      collect,
    )
    .option('--platform <name>', 'an e-commerce platform that keys of the account may use; may be repeated', collect)
    .addHelpText('after', '\nExample: keyward accounts put acme --api payments --api disputes --scope payments')
    .action(async (id: string, options: PutOptions) => {
      const { api, scope, channel, platform } = options;
      const settings = {
        apis: allOr('--api', api),
        scopes: scope,
        channels: allOr('--channel', channel),
        platforms: platform,
      };
      const account = await withStore(io, { ...options, account: id }, ({ management, operator }) =>
        management.accounts.put(operator, id, settings),
      );
      show(account, options);
      warnOfNoApi(account, options);
    });

  withStoreOptions(accounts.command('view <id>').description('show the account')).action(
    async (id: string, options: CommonOptions) => {
      const about = { ...options, account: id };
      show(await withStore(io, about, ({ management }) => management.accounts.view(id)), options);
    },
  );

  withStoreOptions(accounts.command('list').description('show every account')).action(
    async (options: CommonOptions) => {
      const all = await withStore(io, options, ({ management }) => allAccounts(management));
      if (options.json) return printJson(io, { accounts: all });
      const rows = all.map(({ id, apis, scopes, disabledAt }) => [
        ...[id, textOfList(apis), textOfList(scopes), disabledAt === null ? 'active' : 'disabled'],
      ]);
      printTable(
        io,
        ['ID', 'APIS', 'SCOPES', 'STATE'],
        rows,
        'There are no accounts; create one: keyward accounts put ID --api NAME',
      );
    },
  );

  for (const [name, disabled, what] of [
    ['disable', true, 'disable the account, so that its keys are refused until it is enabled again'],
    ['enable', false, 'enable the account, so that its keys are accepted again'],
  ] as const) {
    withStoreOptions(accounts.command(`${name} <id>`).description(what)).action(
      async (id: string, options: CommonOptions) => {
        const account = await withStore(io, { ...options, account: id }, ({ management, operator }) =>
          management.accounts.setDisabled(operator, id, disabled),
        );
        show(account, options);
      },
    );
  }

  /** Warns if the account has no APIs: secret and public keys need at least one of them, so none can be created. */
  function warnOfNoApi({ id, apis }: Account, { json }: CommonOptions): void {
    if (apis === 'all' || apis.length > 0) return;
    const remedy = `add an API: keyward accounts put ${id} --api NAME`;
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

async function allAccounts({ accounts }: Management): Promise<readonly Account[]> {
  const all: Account[] = [];
  for (let after: string | undefined; ; ) {
    const page = await accounts.list({ after, limit: 200 });
    all.push(...page.items);
    if (page.next === null) return all;
    after = page.next;
  }
}
