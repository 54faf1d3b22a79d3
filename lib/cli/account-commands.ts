/** `keyward accounts …` */
import type { Command } from 'commander';
import type { Account } from '../management/account-view.js';
import type { Io } from './io.js';
import { printFields, printJson, printTable, textOfList, textOfTime } from './output.js';
import { allOr, collect } from './read-options.js';
import { type CommonOptions, inSession, withStoreOptions } from './session.js';

interface PutOptions extends CommonOptions {
  readonly api?: readonly string[];
  readonly scope?: readonly string[];
  readonly channel?: readonly string[];
  readonly platform?: readonly string[];
}

export function addAccountCommands(program: Command, io: Io): void {
  const accounts = program.command('accounts').description('the holders that keys act for');

  withStoreOptions(accounts.command('put <id>').description('make an account, or give one other settings'))
    .option('--api <name>', 'an API that it has, or all; may be repeated', collect)
    .option('--scope <scope>', 'a scope that it has; may be repeated', collect)
    .option('--channel <id>', 'a processing channel that it has, or all; may be repeated', collect)
    .option('--platform <name>', 'an e-commerce platform that it has; may be repeated', collect)
    .addHelpText('after', '\nExample: keyward accounts put acme --api payments --api disputes --scope payments')
    .action(async (id: string, options: PutOptions) => {
      const { api, scope, channel, platform } = options;
      const settings = { apis: allOr(api), scopes: scope, channels: allOr(channel), platforms: platform };
      const account = await inSession(io, { ...options, account: id }, ({ management, operator }) =>
        management.accounts.put(operator, id, settings),
      );
      show(account, options);
    });

  withStoreOptions(accounts.command('view <id>').description('show one account')).action(
    async (id: string, options: CommonOptions) => {
      const about = { ...options, account: id };
      show(await inSession(io, about, ({ management }) => management.accounts.view(id)), options);
    },
  );

  withStoreOptions(accounts.command('list').description('show every account')).action(
    async (options: CommonOptions) => {
      const all = await inSession(io, options, ({ management }) => management.accounts.list());
      if (options.json) return printJson(io, { accounts: all });
      const rows = all.map(({ id, apis, scopes, disabledAt }) => [
        ...[id, textOfList(apis), textOfList(scopes), disabledAt === null ? 'active' : 'disabled'],
      ]);
      printTable(
        io,
        ['ID', 'APIS', 'SCOPES', 'STATE'],
        rows,
        'There are no accounts. Make one: keyward accounts put ID',
      );
    },
  );

  for (const [name, disabled, what] of [
    ['disable', true, 'refuse every key of an account'],
    ['enable', false, 'take the keys of an account again'],
  ] as const) {
    withStoreOptions(accounts.command(`${name} <id>`).description(what)).action(
      async (id: string, options: CommonOptions) => {
        const account = await inSession(io, { ...options, account: id }, ({ management, operator }) =>
          management.accounts.setDisabled(operator, id, disabled),
        );
        show(account, options);
      },
    );
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
