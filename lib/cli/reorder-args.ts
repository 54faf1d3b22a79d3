/**
 * Reorders the arguments before Commander parses them: a user may write `--json`, `--database` and the word `help`
 * before the command.
 */
import type { Command } from 'commander';

/** The options that may be written before the command; `true` if the option has a value. */
const COMMON_OPTIONS: Readonly<Record<string, boolean>> = { '--json': false, '--database': true };

/**
 * Moves the common options after the command, and replaces the word `help` with `--help` after the command.
 *
 * @returns `keys list --json` for `--json keys list`; `keys create --help` for `help keys create`.
 */
export function reorderArgs(program: Command, args: readonly string[]): readonly string[] {
  const words: string[] = [];
  const options: string[] = [];
  let command = program;
  let wantsHelp = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const found = command.commands.find((candidate) => candidate.name() === arg);
    const [name = ''] = arg.split('=', 1);
    if (found !== undefined) {
      command = found;
      words.push(arg);
    } else if (arg === 'help' && command.commands.length > 0) {
      wantsHelp = true;
    } else if (Object.hasOwn(COMMON_OPTIONS, name)) {
      const hasValue = COMMON_OPTIONS[name] === true && name === arg;
      options.push(arg, ...(hasValue ? args.slice(at + 1, at + 2) : []));
      if (hasValue) at += 1;
    } else {
      break;
    }
  }
  const rest = args.slice(at);
  const isGroup = command.commands.length > 0;
  // An unknown command must cause an error that names it. So `--help` is left out, because it would print the help
  // instead. The common options are left out too, because a command group (such as `keys`) does not know them.
  if (isGroup && rest[0] !== undefined && !rest[0].startsWith('-')) return [...words, ...rest];
  if (wantsHelp) return [...words, '--help'];
  // A command group (such as `keys`) that is called alone only prints its help. It does not know the common options, so
  // they are left out.
  return isGroup && rest.length === 0 ? words : [...words, ...options, ...rest];
}

/**
 * Whether the arguments contain `--json`, before `--`. Errors are then printed as JSON too, even if the arguments
 * cannot be parsed.
 */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}
