/** `keyward audit` */
import type { Command } from 'commander';
import type { AuditEntry } from '../../management/audit-log/audit-log.js';
import { PLATFORM } from '../../store/signing-keys/platform-audit.js';
import type { Io } from '../io.js';
import { readDateTime, readLimit } from '../read-options.js';
import { printJson, printLine, printTable, textOfTime } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

interface AuditOptions extends CommonOptions {
  readonly account?: string;
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly from?: Date;
  readonly to?: Date;
  readonly after?: string;
  readonly limit?: number;
}

export function addAuditCommand(program: Command, io: Io): void {
  withStoreOptions(program.command('audit').description('show who did what and when, newest first'))
    .option(
      '--account <id>',
      'show entries of this account, or with "-" those about signing keys; default: all accounts',
    )
    .option('--subject <id>', 'show entries about this key or account')
    .option('--actor <id>', 'show entries by this member or operator')
    .option('--action <name>', 'show entries with this action, such as key.create')
    .option('--from <time>', 'show entries from this date or time on', readDateTime)
    .option('--to <time>', 'show entries before this date or time', readDateTime)
    .option('--after <cursor>', 'show the page after this cursor, which is printed with the previous page')
    .option('--limit <number>', 'entries per page, 1 to 200; default: 50', readLimit)
    .action(async (options: AuditOptions) => {
      const { database: _, json, ...filter } = options;
      const { items, next } = await withStore(io, options, async ({ management: { accounts } }) => {
        // Entries on signing keys concern no account.
        if (filter.account !== undefined && filter.account !== PLATFORM) await accounts.view(filter.account);
        return await accounts.audit(filter);
      });
      if (json) return printJson(io, { entries: items, next });
      const rows = items.map((entry) => [
        ...[
          textOfTime(entry.at),
          ...(filter.account === undefined ? [entry.account] : []),
          entry.actor,
          entry.role ?? '-',
          entry.origin ?? '-',
          entry.action,
          entry.outcome,
        ],
        ...[entry.subject ?? '-', whatChanged(entry)],
      ]);
      const ofAccount = filter.account === undefined ? ['ACCOUNT'] : [];
      const headings = ['AT', ...ofAccount, 'WHO', 'AS', 'FROM', 'ACTION', 'OUTCOME', 'SUBJECT', 'CHANGED'];
      printTable(io, headings, rows, 'No entry matches.');
      if (next !== null) printLine(io, `There are more entries. For the next page, add --after ${next}`);
    });
}

/** Fields that are not printed, because the action already says that they changed. */
const IN_THE_ACTION = ['secrets', 'revokedAt'];

/**
 * Describes an edit as `name: "a" -> "b"`, a refusal by its code, an import by its count. For other actions it returns
 * `''`; `--json` has their details.
 */
function whatChanged({ action, before, after, outcome }: AuditEntry): string {
  const is = (after ?? {}) as Readonly<Record<string, unknown>>;
  if (outcome === 'refused') return is.count === undefined ? String(is.refused) : `${is.refused}, ${is.count} times`;
  if (action === 'key.import') return `${is.imported} imported`;
  if (before === null || typeof before !== 'object') return '';
  return Object.entries(before)
    .filter(([name]) => !IN_THE_ACTION.includes(name))
    .map(([name, was]) => `${name}: ${JSON.stringify(was)} -> ${JSON.stringify(is[name])}`)
    .join(', ');
}
