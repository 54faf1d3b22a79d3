/** `keyward keys inspect`, `patterns` and `scan`: they check the format of keys, and need no database. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { keywardFormat } from '../../credentials/keyward-format.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { KEY_PATTERN, patternsFor, SCANNERS } from '../scan/key-patterns.js';
import { type FoundKey, scanFolder } from '../scan/scan-folder.js';
import { printFields, printJson, printLine, printWarning, textOfCount } from '../terminal/output.js';

export function addKeyTextCommands(keys: Command, io: Io): void {
  keys
    .command('inspect <text>')
    .description(
      'check whether a string is a well-formed key, and show its kind and environment; "-" reads the string from standard input',
    )
    .option('--json', 'print the result as one line of JSON')
    .action(async (given: string, { json }: { json?: boolean }) => {
      const key = given === '-' ? (await text(io.stdin)).trim() : given;
      const reading = keywardFormat.read(key);
      const isKey = typeof reading === 'object';
      const said = isKey
        ? { well_formed: true, kind: reading.kind, environment: reading.environment }
        : {
            well_formed: false,
            why:
              reading === 'malformed'
                ? 'the string is mistyped or incomplete'
                : 'the string starts with neither sk_ nor pk_',
          };
      if (json) printJson(io, said);
      else printFields(io, Object.fromEntries(Object.entries(said).map(([name, value]) => [name, String(value)])));
      if (!isKey) throw new CliError('the string is not a well-formed key');
    });

  keys
    .command('patterns')
    .description(`print patterns for secret scanners: ${SCANNERS.join(', ')}`)
    .action(() => {
      for (const scanner of SCANNERS) io.stdout.write(`# ${scanner}\n${patternsFor(scanner)}\n\n`);
    });

  keys
    .command('scan <folder>')
    .description('scan the files in a folder, a file or a pipe for keys, and exit with code 1 if any are found')
    .option('--json', 'print the result as one line of JSON')
    .action(async (folder: string, { json }: { json?: boolean }) => {
      const found: FoundKey[] = [];
      let unreadable = 0;
      const onUnreadable = ({ message }: Error): undefined => {
        unreadable += 1;
        printWarning(io, json, message);
      };
      for await (const key of scanFolder(folder, KEY_PATTERN, onUnreadable)) {
        found.push(key);
        if (!json)
          printLine(io, `${key.file}:${key.line}:${key.column}  ${key.kind} key, ${key.environment}  ${key.hint}`);
      }
      if (json) printJson(io, { found });
      if (found.length > 0) {
        const advice = found.some(({ kind }) => kind === 'secret')
          ? 'rotate or revoke each secret key, because anyone who can read these files can use it'
          : 'a public key may be public';
        throw new CliError(`${textOfCount(found.length, 'key was', 'keys were')} found; ${advice}`);
      }
      if (unreadable > 0)
        throw new CliError(
          `${textOfCount(unreadable, 'file or folder', 'files or folders')} could not be searched`,
          EXIT.usage,
        );
      if (!json) printLine(io, 'No keys were found.');
    });
}
