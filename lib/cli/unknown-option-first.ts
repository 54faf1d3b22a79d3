/**
 * A command that reports an unknown option before a missing required option. For the misspelled `--acount`, Commander
 * itself would only report that `--account` is missing, which hides the cause.
 */
import { Command, type ParseOptionsResult } from 'commander';
import { splitThumbprints } from './thumbprint-operands.js';

export class UnknownOptionFirstCommand extends Command {
  override createCommand(name?: string): Command {
    return new UnknownOptionFirstCommand(name);
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    if (this.commands.length > 0) return super.parseOptions(args);
    const { thumbprints, others } = splitThumbprints(args, this.options);
    const parsed = super.parseOptions(others);
    parsed.operands.push(...thumbprints);
    const [first] = parsed.unknown;
    if (first === undefined) return parsed;
    for (const option of this.options) option.mandatory = false;
    // Commander suggests the option with the most similar name. It must get the name without a value (`--acount=acme`),
    // or it finds no similar option.
    return { ...parsed, unknown: [first.replace(/^(--[^=]+)=.*$/s, '$1'), ...parsed.unknown.slice(1)] };
  }
}
