/** The commands that `keyward keys` and `keyward access-keys` share, such as `list`, `rotate` and `revoke`. */
import { type Command, Option } from 'commander';
import type { Management } from '../../management/create-management.js';
import { DEFAULT_ORDER, KEY_ORDERS, type KeyOrder, type ListFilter } from '../../management/key-list-filter.js';
import type { KeyState, KeyView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import type { Member } from '../../management/member.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { MAX_GRACE_TEXT, readDay, readGrace, readLimit } from '../option-values.js';
import { showKey, showKeys, showKeyUsage } from '../print-keys.js';
import { showSecret } from '../show-secret.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { printJson } from '../terminal/output.js';
import { type CommonOptions, type KeyNoun, withStore, withStoreOptions } from '../with-store.js';

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

/** Selects the operations on one type of key: `management.keys` or `management.accessKeys`. */
export type KeysOf = (management: Management) => Management['keys'] | Management['accessKeys'];

/** The methods of `management.keys` and `management.accessKeys` that an edit needs. */
interface EditableKeys<Edit> {
  view(member: Member, id: string): Promise<KeyView>;
  edit(member: Member, id: string, edit: Edit & { readonly version: number }): Promise<KeyView>;
}

/**
 * Edits the current version of a key, and prints the edited key.
 *
 * @param question - Asked before the edit, if the edit cannot be undone.
 * @throws CliError for an edit without a change.
 */
export async function editKey<Edit extends object>(
  io: Io,
  options: CommonOptions & ConfirmOption,
  id: string,
  edit: Edit,
  keysOf: (management: Management) => EditableKeys<Edit>,
  question?: (key: KeyView) => string,
): Promise<void> {
  if (Object.keys(edit).length === 0)
    throw new CliError(
      'there is nothing to change; pass at least one option that changes a setting (to see the options, add --help)',
      EXIT.usage,
    );
  const key = await withStore(io, options, async ({ management, memberOfKey }) => {
    const member = await memberOfKey(id);
    const keys = keysOf(management);
    const current = await keys.view(member, id);
    if (question !== undefined) await confirm(io, options, question(current));
    return await keys.edit(member, id, { ...edit, version: current.version });
  });
  printKey(io, options, key);
}

/** Describes a key in a question by its ID, name and account, so that people recognize it. */
export function describeKey(noun: string, { id, name, account }: KeyView): string {
  return `the ${noun} ${id}${name === null ? '' : ` ${JSON.stringify(name)}`} of the account ${account}`;
}

export function printKey(io: Io, { json }: CommonOptions, key: KeyView): void {
  if (json) printJson(io, { record: key });
  else showKey(io, key);
}

/** Adds the commands that both types of keys have: list, view, usage, end-grace, revoke and rotate. */
export function addCommonCommands(commands: Command, io: Io, keysOf: KeysOf, noun: KeyNoun): void {
  const aKey = noun === 'key' ? 'a key' : 'an access key';
  const list = withStoreOptions(commands.command('list').description(`list the ${noun}s of an account`))
    .requiredOption('--account <id>', 'the account that the keys belong to')
    .addOption(
      new Option('--state <state>', 'show only keys in this state; default: every state except revoked').choices([
        'active',
        'disabled',
        'expired',
        'revoked',
      ]),
    )
    .option(
      '--text <text>',
      'show only keys with this text in their name, ID or hint (the visible characters of the secret)',
    )
    .option(
      '--unused-since <date>',
      'show only keys that were created before this day and have not been used since then',
      readDay,
    )
    .addOption(
      new Option(
        '--sort <order>',
        `the order of the list: created (oldest first), name (A to Z) or used (least recently used first); a leading minus reverses the order; default: ${DEFAULT_ORDER} (newest first)`,
      ).choices(KEY_ORDERS),
    )
    .option('--after <cursor>', 'show the page after this cursor; each page ends with the cursor for the next page')
    .option('--limit <number>', 'the number of keys per page, from 1 to 200; default: 50', readLimit);
  if (noun === 'key') {
    list.addOption(new Option('--kind <kind>', 'show only keys of this kind').choices(['secret', 'public']));
    list.option('--api <name>', 'show only keys that may use this API');
  }
  list.action(async (options: ListOptions) => {
    const { account, database: _, json, ...filter } = options;
    const page = await withStore(io, { ...options, readOnly: true }, async ({ management, memberOf }) => {
      await management.accounts.view(account);
      return await keysOf(management).list(memberOf(account), filter satisfies ListFilter);
    });
    if (json) return printJson(io, { keys: page.items, next: page.next });
    showKeys(io, page, noun === 'key' ? 'APIS' : 'SCOPES');
  });

  withStoreOptions(commands.command('view <id>').description(`show ${aKey}, and when it was last used`)).action(
    async (id: string, options: CommonOptions) => {
      const key = await onKey({ ...options, readOnly: true }, id, (keys, member) => keys.view(member, id));
      printKey(io, options, key);
    },
  );

  withConfirmation(
    withStoreOptions(
      commands
        .command('end-grace <id>')
        .description(`end the grace period of ${aKey}, so that its old secret is refused immediately`),
    ),
  ).action(async (id: string, options: CommonOptions & ConfirmOption) => {
    const key = await onKey(options, id, async (keys, member) => {
      const current = await keys.view(member, id);
      const old = current.secrets.find(({ state }) => state === 'grace_period');
      // Asks only if the old secret is still accepted. Otherwise no client loses access: `endGrace` ends a secret whose
      // grace period is over, or throws `not_found`.
      if (old !== undefined) {
        const what = `End the grace period of ${describeKey(noun, current)}?`;
        await confirm(
          io,
          options,
          `${what} Its old ${secretNoun(current)} ${old.hint} will be refused immediately. This cannot be undone.`,
        );
      }
      return await keys.endGrace(member, id);
    });
    printKey(io, options, key);
  });

  withStoreOptions(commands.command('usage <id>').description(`show how many requests per day were made with ${aKey}`))
    .option('--from <date>', 'the first day; default: 29 days before the last day', readDay)
    .option('--to <date>', 'the last day; default: today', readDay)
    .action(async (id: string, options: UsageOptions) => {
      const { from, to } = options;
      const usage = await withStore(io, { ...options, readOnly: true }, async ({ management, memberOfKey }) => {
        return await management.usage(await memberOfKey(id), id, { from, to });
      });
      if (options.json) printJson(io, usage);
      else showKeyUsage(io, usage);
    });

  withConfirmation(
    withStoreOptions(commands.command('revoke <id>').description(`revoke ${aKey}; this cannot be undone`)),
  ).action(async (id: string, options: CommonOptions & ConfirmOption) => {
    const key = await onKey(options, id, async (keys, member) => {
      const current = await keys.view(member, id);
      await confirm(io, options, `Revoke ${describeKey(noun, current)}? This cannot be undone.`);
      return await keys.revoke(member, id);
    });
    printKey(io, options, key);
  });

  withConfirmation(
    withStoreOptions(
      commands.command('rotate <id>').description(`replace the secret of ${aKey}; the new secret is shown only once`),
    ),
  )
    .option(
      '--grace <duration>',
      `how long the old secret continues to be accepted, such as 24h or 7d, up to ${MAX_GRACE_TEXT}; default: 0 (refused immediately)`,
      readGrace,
    )
    .action(async (id: string, options: CommonOptions & ConfirmOption & { grace?: number }) => {
      await onKey(options, id, async (keys, member) => {
        if (!options.grace) {
          const current = await keys.view(member, id);
          const what = `Rotate ${describeKey(noun, current)}?`;
          const effect = `Its current ${secretNoun(current)} will be refused immediately.`;
          const remedy =
            'To keep it valid for a while, answer no and run the command again with a grace period, such as --grace 7d.';
          await confirm(io, options, `${what} ${effect} ${remedy}`);
        }
        const rotated = await keys.rotate(member, id, options.grace);
        const secret = secretNoun(rotated.key);
        const lost = `the key was rotated, but its new ${secret} could not be shown; rotate it again`;
        await showSecret(io, options, rotated, async () =>
          options.grace
            ? `${lost} (this ends the grace period of the old ${secret} immediately), or create another key`
            : lost,
        );
      });
    });

  async function onKey<T>(
    options: CommonOptions & { readonly readOnly?: boolean },
    id: string,
    work: (keys: ReturnType<KeysOf>, member: Member) => Promise<T>,
  ): Promise<T> {
    return await withStore(io, options, async ({ management, memberOfKey }) =>
      work(keysOf(management), await memberOfKey(id, noun)),
    );
  }
}
