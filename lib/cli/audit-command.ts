/** `keyward audit` */
import type { Command } from 'commander';
import type { AuditEntry } from '../management/audit-log.js';
import type { Io } from './io.js';
import { printJson, printLine, printTable, textOfTime } from './output.js';
import { readLimit } from './read-options.js';
import { type CommonOptions, inSession, withStoreOptions } from './session.js';

interface AuditOptions extends CommonOptions {
  readonly account: string;
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly after?: string;
  readonly limit?: number;
}

export function addAuditCommand(program: Command, io: Io): void {
  withStoreOptions(program.command('audit').description('who did what when, the newest first'))
    .requiredOption('--account <id>', 'whose')
    .option('--subject <id>', 'done to this key or account')
    .option('--actor <id>', 'done by')
    .option('--action <name>', 'such as key.create')
    .option('--after <cursor>', 'the next page')
    .option('--limit <number>', '1 to 200', readLimit)
    .action(async (options: AuditOptions) => {
      const { account, database: _, json, ...filter } = options;
      const { items, next } = await inSession(io, options, async ({ management, memberOf }) => {
        await management.accounts.view(account);
        return await management.audit(memberOf(account), filter);
      });
      if (json) return printJson(io, { entries: items, next });
      const rows = items.map((entry) => [
        ...[textOfTime(entry.at), entry.actor, entry.role ?? '-', entry.origin ?? '-', entry.action, entry.outcome],
        ...[entry.subject ?? '-', whatChanged(entry)],
      ]);
      const headings = ['AT', 'WHO', 'AS', 'FROM', 'ACTION', 'OUTCOME', 'SUBJECT', 'CHANGED'];
      printTable(io, headings, rows, 'Nothing has been done yet.');
      if (next !== null) printLine(io, `There are more. Add: --after ${next}`);
    });
}

/** An edit as `name: "a" -> "b"`, a refusal by its code, an import by its count; of the rest, what JSON says is enough. */
function whatChanged({ action, before, after, outcome }: AuditEntry): string {
  const is = (after ?? {}) as Readonly<Record<string, unknown>>;
  if (outcome === 'refused') return String(is.refused);
  if (action === 'key.import') return `${is.imported} imported`;
  if (before === null || typeof before !== 'object') return '';
  return Object.entries(before)
    .map(([name, was]) => `${name}: ${JSON.stringify(was)} -> ${JSON.stringify(is[name])}`)
    .join(', ');
}
