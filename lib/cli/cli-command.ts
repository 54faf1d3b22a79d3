/**
 * Commander reports a missing required option first. If the cause is a misspelled option, such as `--acount`, this
 * command reports the misspelled option instead.
 */
import { Command, type ParseOptionsResult } from 'commander';

export class CliCommand extends Command {
  override createCommand(name?: string): Command {
    return new CliCommand(name);
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
