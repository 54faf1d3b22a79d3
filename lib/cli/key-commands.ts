/** `keyward keys …` and `keyward access-keys …`: what both have. */
import { type Command, Option } from 'commander';
import type { Management } from '../management/create-management.js';
import type { KeyState, KeyView } from '../management/key-view.js';
import type { ListFilter } from '../management/list-filter.js';
import type { Member } from '../management/member.js';
import { CliError, EXIT, type Io } from './io.js';
import { printJson, printLine } from './output.js';
import { allOr, collect, readGrace, readLimit, readTime } from './read-options.js';
import { type CommonOptions, inSession, withStoreOptions } from './session.js';
import { showKey, showKeys } from './show-key.js';

/** Options that creation and edit have. */
export interface SettingOptions extends CommonOptions {
  readonly name?: string | false;
  readonly scope?: readonly string[] | false;
  readonly channel?: readonly string[];
  readonly platform?: string | false;
  readonly expires?: Date | false;
}

interface ListOptions extends CommonOptions {
  readonly account: string;
  readonly kind?: 'secret' | 'public';
  readonly api?: string;
  readonly state?: KeyState;
  readonly text?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** Which of the two desks of the management a command works on. */
export type DeskOf = (management: Management) => Management['keys'] | Management['accessKeys'];

export function withSettings(command: Command): Command {
  return withStoreOptions(command)
    .option('--name <text>', 'what people call it')
    .option('--scope <scope>', 'a scope that it holds; may be repeated', collect)
    .option('--channel <id>', 'a processing channel, or all; may be repeated', collect)
    .option('--platform <name>', 'the e-commerce platform that it is used on; then exactly one channel')
    .option('--expires <time>', 'a date, or a duration such as 90d', readTime);
}

/** Adds what takes a setting away again. */
export function withClearings(command: Command): Command {
  return withSettings(command)
    .option('--no-name', 'take the name away')
    .option('--no-platform', 'take the platform away')
    .option('--no-expires', 'take the expiry away');
}

export function settingsOf({ name, scope, channel, platform, expires }: SettingOptions) {
  return {
    ...(name !== undefined && { name: name || null }),
    ...(scope !== undefined && { scopes: scope || null }),
    ...(channel !== undefined && { channels: allOr(channel) }),
    ...(platform !== undefined && { platform: platform || null }),
    ...(expires !== undefined && { expiresAt: expires || null }),
  };
}

/** Options that both edits have. */
export interface EditOptions extends SettingOptions {
  readonly disable?: boolean;
  readonly enable?: boolean;
}

/** Adds what switches a key off and on. */
export function withSwitches(command: Command): Command {
  return command
    .addOption(new Option('--disable', 'refuse it until it is enabled').conflicts('enable'))
    .option('--enable', 'take it again');
}

export function switchedBy({ disable, enable }: EditOptions): { readonly disabled?: boolean } {
  return disable || enable ? { disabled: disable === true } : {};
}

/** A desk, as far as an edit needs it. */
interface EditDesk<Edit> {
  view(member: Member, id: string): Promise<KeyView>;
  edit(member: Member, id: string, edit: Edit & { readonly version: number }): Promise<KeyView>;
}

/**
 * Edits a key at the version that it has now, and prints it.
 *
 * @throws CliError for an edit that says nothing.
 */
export async function editKey<Edit extends object>(
  io: Io,
  options: CommonOptions,
  id: string,
  edit: Edit,
  deskOf: (management: Management) => EditDesk<Edit>,
): Promise<void> {
  if (Object.keys(edit).length === 0) throw new CliError('Say what to change; --help tells what can be.', EXIT.usage);
  const key = await inSession(io, options, async ({ management, memberOfKey }) => {
    const member = await memberOfKey(id);
    const desk = deskOf(management);
    const { version } = await desk.view(member, id);
    return await desk.edit(member, id, { ...edit, version });
  });
  printKey(io, options, key);
}

export function printKey(io: Io, { json }: CommonOptions, key: KeyView): void {
  if (json) printJson(io, { record: key });
  else showKey(io, key);
}

export function withEnvironment(command: Command): Command {
  return command.addOption(new Option('--environment <name>', 'where it works').choices(['live', 'sandbox']));
}

/** Adds list, view, roll, end-grace and revoke. */
export function addCommonCommands(commands: Command, io: Io, deskOf: DeskOf, noun: string): void {
  const list = withStoreOptions(commands.command('list').description(`show the ${noun}s of an account`))
    .requiredOption('--account <id>', 'whose')
    .addOption(new Option('--state <state>').choices(['active', 'disabled', 'expired', 'revoked']))
    .option('--text <text>', 'part of a name, an id or a hint')
    .option('--after <cursor>', 'the next page')
    .option('--limit <number>', '1 to 200', readLimit);
  if (noun === 'key') {
    list.addOption(new Option('--kind <kind>').choices(['secret', 'public']));
    list.option('--api <name>', 'that reach this API');
  }
  list.action(async (options: ListOptions) => {
    const { account, database: _, json, ...filter } = options;
    const page = await inSession(io, options, async ({ management, memberOf }) => {
      await management.accounts.view(account);
      return await deskOf(management).list(memberOf(account), filter satisfies ListFilter);
    });
    if (json) return printJson(io, { keys: page.items, next: page.next });
    showKeys(io, page);
  });

  add('view <id>', `show one ${noun}, and when it was last used`, (desk, session, id) => desk.view(session, id));
  add('end-grace <id>', `end the grace period of a rolled ${noun} now`, (desk, member, id) =>
    desk.endGrace(member, id),
  );
  add('revoke <id>', `delete one ${noun} for good`, (desk, member, id) => desk.delete(member, id));

  withStoreOptions(commands.command('roll <id>').description(`give one ${noun} a new text, shown this once`))
    .option('--grace <duration>', 'how long the one before is taken: 24h, 7d, up to 30d', readGrace)
    .action(async (id: string, options: CommonOptions & { grace?: number }) => {
      const { key, text } = await onKey(options, id, (desk, member) => desk.roll(member, id, options.grace));
      showOnce(io, options, key, text);
    });

  function add(usage: string, what: string, work: (...args: Work) => Promise<KeyView>): void {
    withStoreOptions(commands.command(usage).description(what)).action(async (id: string, options: CommonOptions) => {
      printKey(io, options, await onKey(options, id, (desk, member) => work(desk, member, id)));
    });
  }

  async function onKey<T>(
    options: CommonOptions,
    id: string,
    work: (...args: [Work[0], Work[1]]) => Promise<T>,
  ): Promise<T> {
    return await inSession(io, options, async ({ management, memberOfKey }) =>
      work(deskOf(management), await memberOfKey(id)),
    );
  }
}

type Work = [ReturnType<DeskOf>, Member, string];

/** Prints what is shown once: alone on its line, so that it can be copied. */
export function showOnce(io: Io, { json }: CommonOptions, key: KeyView, text: string | undefined): void {
  const isAccess = key.kind === 'access';
  if (json) {
    printJson(io, isAccess ? { id: key.id, secret: text, record: key } : { key: text, record: key });
    return;
  }
  showKey(io, key);
  if (text === undefined) return;
  printLine(io, '');
  if (isAccess) printLine(io, `Identifier  ${key.id}`);
  printLine(io, `${isAccess ? 'Secret    ' : 'Key       '}  ${text}`);
  if (key.kind !== 'public') printLine(io, 'It is shown this once.');
}
