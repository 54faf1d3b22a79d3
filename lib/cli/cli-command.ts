/** A Commander command that reports a misspelled option before the required option that is missing because of it. */
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
    // For `--acount=acme`, only the name is compared.
    return { ...parsed, unknown: [first.replace(/^(--[^=]+)=.*$/s, '$1'), ...parsed.unknown.slice(1)] };
  }
}
