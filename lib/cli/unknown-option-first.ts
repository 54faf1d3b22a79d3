/**
 * A command that reports an unknown option, such as the misspelled `--acount`, and not the missing required option.
 * Commander would report only that `--account` is missing, which hides the cause.
 */
import { Command, type ParseOptionsResult } from 'commander';

export class UnknownOptionFirstCommand extends Command {
  override createCommand(name?: string): Command {
    return new UnknownOptionFirstCommand(name);
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(args);
    const [first] = parsed.unknown;
    const wantsHelp = parsed.unknown.some((arg) => arg === '--help' || arg === '-h');
    if (first === undefined || wantsHelp || this.commands.length > 0) return parsed;
    for (const option of this.options) option.mandatory = false;
    // Commander suggests the option with the most similar name. A value, as in `--acount=acme`, would prevent a match.
    return { ...parsed, unknown: [first.replace(/^(--[^=]+)=.*$/s, '$1'), ...parsed.unknown.slice(1)] };
  }
}
