/** Commands that `keyward keys …` and `keyward access-keys …` share. */
import { type Command, Option } from 'commander';
import type { RateLimit } from '../../credentials/rate-limit.js';
import type { Management } from '../../management/create-management.js';
import type { KeyState, KeyView } from '../../management/keys/key-view.js';
import { KEY_ORDERS, type KeyOrder, type ListFilter } from '../../management/list-filter.js';
import type { Member } from '../../management/member.js';
import { CliError, EXIT, type Io } from '../io.js';
import {
  allOr,
  collect,
  collectLimits,
  collectMetadata,
  readDay,
  readGrace,
  readLimit,
  readTime,
} from '../read-options.js';
import { showKey, showKeys } from '../show-key.js';
import { showKeyUsage } from '../show-key-usage.js';
import { showSecret } from '../show-secret.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { printJson } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

/** Options of both create and edit. */
export interface SettingOptions extends CommonOptions {
  readonly name?: string | false;
  readonly scope?: readonly string[] | false;
  readonly channel?: readonly string[];
  readonly platform?: string | false;
  readonly expires?: Date | false;
  readonly metadata?: Readonly<Record<string, string>> | false;
  readonly allowAddress?: readonly string[] | false;
  readonly limit?: readonly RateLimit[] | false;
}

interface ListOptions extends CommonOptions {
  readonly account: string;
  readonly kind?: 'secret' | 'public';
  readonly api?: string;
  readonly state?: KeyState;
  readonly text?: string;
  readonly unusedSince?: Date;
  readonly sort?: KeyOrder;
  readonly after?: string;
  readonly limit?: number;
}

interface UsageOptions extends CommonOptions {
  readonly from?: Date;
  readonly to?: Date;
}

/** `management.keys` or `management.accessKeys`. */
export type KeysOf = (management: Management) => Management['keys'] | Management['accessKeys'];

export function withSettings(command: Command): Command {
  return withStoreOptions(command)
    .option('--name <text>', 'a name for people')
    .option('--scope <scope>', 'a scope of the key; may be repeated', collect)
    .option('--channel <id>', 'a processing channel, or all; may be repeated', collect)
    .option('--platform <name>', 'the e-commerce platform that it is used on; needs exactly one channel')
    .option('--expires <time>', 'a date, or a duration such as 90d', readTime)
    .option('--metadata <name=value>', 'custom data to store with the key; may be repeated', collectMetadata)
    .option('--allow-address <address>', 'an IP address or network it may be used from; may be repeated', collect)
    .option('--limit <requests/time>', 'a rate limit, such as 100/1m; may be repeated', collectLimits);
}

/** Adds options that remove a setting. */
export function withClearings(command: Command): Command {
  return withSettings(command)
    .option('--no-name', 'remove the name')
    .option('--no-platform', 'remove the platform')
    .option('--no-expires', 'remove the expiry')
    .option('--no-metadata', 'remove the metadata')
    .option('--no-allow-address', 'let it be used from everywhere')
    .option('--no-limit', 'remove its own rate limits');
}

export function settingsOf(options: SettingOptions) {
  const { name, scope, channel, platform, expires, metadata, allowAddress, limit } = options;
  return {
    ...(name !== undefined && { name: name || null }),
    ...(scope !== undefined && { scopes: scope || null }),
    ...(channel !== undefined && { channels: allOr(channel) }),
    ...(platform !== undefined && { platform: platform || null }),
    ...(expires !== undefined && { expiresAt: expires || null }),
    ...(metadata !== undefined && { metadata: metadata || null }),
    ...(allowAddress !== undefined && { allowedAddresses: allowAddress || null }),
    ...(limit !== undefined && { limits: limit || null }),
  };
}

/** Options of both edit commands. */
export interface EditOptions extends SettingOptions {
  readonly disable?: boolean;
  readonly enable?: boolean;
}

/** Adds options that disable and enable a key. */
export function withSwitches(command: Command): Command {
  return command
    .addOption(new Option('--disable', 'refuse the key until it is enabled again').conflicts('enable'))
    .option('--enable', 'accept the key again');
}

export function switchedBy({ disable, enable }: EditOptions): { readonly disabled?: boolean } {
  return disable || enable ? { disabled: disable === true } : {};
}

/** The methods that an edit needs. */
interface EditableKeys<Edit> {
  view(member: Member, id: string): Promise<KeyView>;
  edit(member: Member, id: string, edit: Edit & { readonly version: number }): Promise<KeyView>;
}

/**
 * Edits the current version of a key, and prints it.
 *
 * @throws CliError for an edit without a change.
 */
export async function editKey<Edit extends object>(
  io: Io,
  options: CommonOptions,
  id: string,
  edit: Edit,
  keysOf: (management: Management) => EditableKeys<Edit>,
): Promise<void> {
  if (Object.keys(edit).length === 0)
    throw new CliError('nothing to change: give at least one option; --help lists them', EXIT.usage);
  const key = await withStore(io, options, async ({ management, memberOfKey }) => {
    const member = await memberOfKey(id);
    const keys = keysOf(management);
    const { version } = await keys.view(member, id);
    return await keys.edit(member, id, { ...edit, version });
  });
  printKey(io, options, key);
}

export function printKey(io: Io, { json }: CommonOptions, key: KeyView): void {
  if (json) printJson(io, { record: key });
  else showKey(io, key);
}

export function withEnvironment(command: Command): Command {
  return command.addOption(
    new Option('--environment <name>', 'the environment in which it is accepted').choices(['live', 'sandbox']),
  );
}

/** Adds list, view, end-grace, revoke and rotate. */
export function addCommonCommands(commands: Command, io: Io, keysOf: KeysOf, noun: string): void {
  const list = withStoreOptions(commands.command('list').description(`show the ${noun}s of an account`))
    .requiredOption('--account <id>', 'the account that the keys belong to')
    .addOption(new Option('--state <state>').choices(['active', 'disabled', 'expired', 'revoked']))
    .option('--text <text>', 'part of a name, an id or a hint')
    .option('--unused-since <date>', 'keys created before this day that were not used since', readDay)
    .addOption(new Option('--sort <order>', 'a minus reverses it; default: -created').choices(KEY_ORDERS))
    .option('--after <cursor>', 'continue after this cursor, which the page before printed')
    .option('--limit <number>', '1 to 200', readLimit);
  if (noun === 'key') {
    list.addOption(new Option('--kind <kind>').choices(['secret', 'public']));
    list.option('--api <name>', 'keys for this API');
  }
  list.action(async (options: ListOptions) => {
    const { account, database: _, json, ...filter } = options;
    const page = await withStore(io, options, async ({ management, memberOf }) => {
      await management.accounts.view(account);
      return await keysOf(management).list(memberOf(account), filter satisfies ListFilter);
    });
    if (json) return printJson(io, { keys: page.items, next: page.next });
    showKeys(io, page);
  });

  add('view <id>', `show one ${noun}, and when it was last used`, (keys, member, id) => keys.view(member, id));
  add('end-grace <id>', `end the grace period of a rotated ${noun} now`, (keys, member, id) =>
    keys.endGrace(member, id),
  );

  withStoreOptions(commands.command('usage <id>').description(`show the requests of one ${noun} by day`))
    .option('--from <date>', 'the first day; default: 29 days before the last day', readDay)
    .option('--to <date>', 'the last day; default: today', readDay)
    .action(async (id: string, options: UsageOptions) => {
      const { from, to } = options;
      const usage = await withStore(io, options, async ({ management, memberOfKey }) => {
        return await management.usage(await memberOfKey(id), id, { from, to });
      });
      if (options.json) printJson(io, usage);
      else showKeyUsage(io, usage);
    });

  withConfirmation(
    withStoreOptions(commands.command('revoke <id>').description(`revoke one ${noun}; this is final`)),
  ).action(async (id: string, options: CommonOptions & ConfirmOption) => {
    const key = await onKey(options, id, async (keys, member) => {
      const { name } = await keys.view(member, id);
      const called = name === null ? '' : ` ${JSON.stringify(name)}`;
      await confirm(io, options, `Revoke ${id}${called} of the account ${member.account}? This is final.`);
      return await keys.revoke(member, id);
    });
    printKey(io, options, key);
  });

  withStoreOptions(commands.command('rotate <id>').description(`give one ${noun} a new secret, which is shown once`))
    .option('--grace <duration>', 'how long the old secret is still accepted: 24h, 7d, up to 30d', readGrace)
    .action(async (id: string, options: CommonOptions & { grace?: number }) => {
      await onKey(options, id, async (keys, member) => {
        const rotated = await keys.rotate(member, id, options.grace);
        await showSecret(
          io,
          options,
          rotated,
          async () => 'the new secret could not be shown, so rotate the key again',
        );
      });
    });

  function add(usage: string, what: string, work: (...args: Work) => Promise<KeyView>): void {
    withStoreOptions(commands.command(usage).description(what)).action(async (id: string, options: CommonOptions) => {
      printKey(io, options, await onKey(options, id, (keys, member) => work(keys, member, id)));
    });
  }

  async function onKey<T>(
    options: CommonOptions,
    id: string,
    work: (...args: [Work[0], Work[1]]) => Promise<T>,
  ): Promise<T> {
    return await withStore(io, options, async ({ management, memberOfKey }) =>
      work(keysOf(management), await memberOfKey(id)),
    );
  }
}

type Work = [ReturnType<KeysOf>, Member, string];
