/**
 * The options that set the properties of a key, such as `--name` and `--expires`. The command groups `keys` and
 * `access-keys` share them.
 */
import { type Command, Option } from 'commander';
import type { RateLimit } from '../../credentials/rate-limit.js';
import { allOr, collect, collectLimits, collectMetadata, readText, readTime } from '../option-values.js';
import { type CommonOptions, withStoreOptions } from '../with-store.js';

/**
 * Options of the commands `create` and `edit`. `false` comes from an option that removes a setting, such as
 * `--no-name`; only `edit` has such options.
 */
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

/**
 * Adds the options that set the properties of a key.
 *
 * @param replaces - Returns a text that is appended to the help of each repeatable option. Its argument is what the
 *   option lists, such as `scopes`. For `edit`, the text says that the whole list is replaced.
 */
export function withSettings(command: Command, replaces: (list: string) => string = () => ''): Command {
  return withStoreOptions(command)
    .option('--name <text>', 'a name that helps people to recognize the key', readText)
    .option('--scope <scope>', `a scope of the key; may be repeated${replaces('scopes')}`, collect)
    .option(
      '--channel <id>',
      `the ID of a processing channel that the key may use, or "all" for every channel; may be repeated${replaces('channels')}`,
      collect,
    )
    .option(
      '--platform <name>',
      'the e-commerce platform that the key is used on; requires exactly one --channel',
      readText,
    )
    .option('--expires <time>', 'when the key expires: a date, or a duration such as 90d', readTime)
    .option(
      '--metadata <name=value>',
      `metadata to store with the key, such as team=checkout; may be repeated${replaces('metadata')}`,
      collectMetadata,
    )
    .option(
      '--allow-address <address>',
      `an IP address or network, such as 203.0.113.0/24, from which the key is accepted; may be repeated${replaces('allowed addresses')}`,
      collect,
    )
    .option(
      '--limit <requests/time>',
      `a rate limit, such as 100/1m for 100 requests per minute; may be repeated${replaces('rate limits')}`,
      collectLimits,
    );
}

/** The end of the help of a repeatable option of `edit`: the given values replace the whole list. */
export function replacesAll(list: string): string {
  return `; the given values replace the existing ${list} of the key`;
}

/** Adds the options of `withSettings`, and options that remove a setting, such as `--no-name`. */
export function withClearings(command: Command): Command {
  return withSettings(command, replacesAll)
    .option('--no-name', 'remove the name')
    .option('--no-platform', 'remove the platform')
    .option('--no-expires', 'remove the expiration date')
    .option('--no-metadata', 'remove the metadata')
    .option('--no-allow-address', 'remove the allowed IP addresses; the key is then accepted from any IP address')
    .option('--no-limit', 'remove the rate limits of the key; the default limits of the app then apply');
}

export function settingsOf(options: SettingOptions) {
  const { name, scope, channel, platform, expires, metadata, allowAddress, limit } = options;
  return {
    ...(name !== undefined && { name: name || null }),
    ...(scope !== undefined && { scopes: scope || null }),
    ...(channel !== undefined && { channels: allOr('--channel', channel) }),
    ...(platform !== undefined && { platform: platform || null }),
    ...(expires !== undefined && { expiresAt: expires || null }),
    ...(metadata !== undefined && { metadata: metadata || null }),
    ...(allowAddress !== undefined && { allowedAddresses: allowAddress || null }),
    ...(limit !== undefined && { limits: limit || null }),
  };
}

/** Options of `keyward keys edit` and `keyward access-keys edit`. */
export interface EditOptions extends SettingOptions {
  readonly disable?: boolean;
  readonly enable?: boolean;
}

/** Adds the options `--disable` and `--enable`. */
export function withSwitches(command: Command): Command {
  return command
    .addOption(
      new Option('--disable', 'disable the key, so that it is refused until it is enabled again').conflicts('enable'),
    )
    .option('--enable', 'enable the key, so that it is accepted again');
}

export function switchedBy({ disable, enable }: EditOptions): { readonly disabled?: boolean } {
  return disable || enable ? { disabled: disable === true } : {};
}

export function withEnvironment(command: Command): Command {
  return command.addOption(
    new Option('--environment <name>', 'the environment in which the key is accepted; default: live').choices([
      'live',
      'sandbox',
    ]),
  );
}
