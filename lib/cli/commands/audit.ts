/** `keyward audit`: prints entries of the audit log. */
import type { Command } from 'commander';
import type { AuditEntry } from '../../management/audit-log/read-audit-log.js';
import { PLATFORM } from '../../store/signing-keys/platform-audit.js';
import type { Io } from '../io.js';
import { readDateTime, readLimit } from '../option-values.js';
import { printJson, printLine, printTable, textOfCount, textOfTime } from '../terminal/output.js';
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
  withStoreOptions(program.command('audit').description('show the audit log, with the newest entries first'))
    .option(
      '--account <id>',
      'show only entries of this account; "-" shows entries about signing keys and the encryption key; default: all entries',
    )
    .option('--subject <id>', 'show only entries about the key or account with this ID')
    .option(
      '--actor <id>',
      'show only entries by this actor: the ID of a member, or cli:NAME for commands that the operating system user NAME ran',
    )
    .option('--action <name>', 'show only entries with this action, such as key.create')
    .option('--from <time>', 'show only entries at or after this date or time', readDateTime)
    .option('--to <time>', 'show only entries before this date or time', readDateTime)
    .option('--after <cursor>', 'show the page after this cursor; each page ends with the cursor for the next page')
    .option('--limit <number>', 'the number of entries per page, from 1 to 200; default: 50', readLimit)
    .action(async (options: AuditOptions) => {
      const { database: _, json, ...filter } = options;
      const about = { ...options, readOnly: true };
      const { items, next } = await withStore(io, about, async ({ management: { accounts } }) => {
        // Throws an error for an unknown account. `-` is not an account: it selects the entries about signing keys.
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
      const headings = ['TIME', ...ofAccount, 'ACTOR', 'ROLE', 'ADDRESS', 'ACTION', 'OUTCOME', 'SUBJECT', 'CHANGES'];
      printTable(io, headings, rows, 'There are no matching entries.');
      if (next !== null) printLine(io, `There are more entries. For the next page, add --after ${next}`);
    });
}

/**
 * Fields that are not shown in the column CHANGES, because the column ACTION already says that they changed:
 * `key.rotate` changes `secrets`, and `key.revoke` changes `revokedAt`.
 */
const IN_THE_ACTION = ['secrets', 'revokedAt'];

/**
 * Makes the text of the column CHANGES: the code of a refusal, the number of keys of an import, or `name: "a" -> "b"`
 * for each changed field. It is empty for an entry without earlier values, such as a created key; `--json` prints the
 * details.
 */
function whatChanged({ action, before, after, outcome }: AuditEntry): string {
  const is = (after ?? {}) as Readonly<Record<string, unknown>>;
  if (outcome === 'refused') return is.count === undefined ? String(is.refused) : `${is.refused}, ${is.count} times`;
  if (action === 'key.import') return textOfCount(Number(is.imported), 'key was imported', 'keys were imported');
  if (before === null || typeof before !== 'object') return '';
  return Object.entries(before)
    .filter(([name]) => !IN_THE_ACTION.includes(name))
    .map(([name, was]) => `${name}: ${JSON.stringify(was)} -> ${JSON.stringify(is[name])}`)
    .join(', ');
}
