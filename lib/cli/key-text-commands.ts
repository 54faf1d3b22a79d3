/** `keyward keys inspect | patterns | scan`: what the text of a key tells, without any store. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { keywardFormat } from '../credentials/api-key.js';
import { CliError, type Io } from './io.js';
import { KEY_PATTERN, patternsFor, SCANNERS } from './key-patterns.js';
import { printFields, printJson, printLine } from './output.js';
import { type FoundKey, scanFolder } from './scan-folder.js';

export function addKeyTextCommands(keys: Command, io: Io): void {
  keys
    .command('inspect <text>')
    .description("what a key's text says of itself, without any look-up; - reads it from standard input")
    .option('--json', 'print one line of JSON')
    .action(async (given: string, { json }: { json?: boolean }) => {
      const key = given === '-' ? (await text(io.stdin)).trim() : given;
      const reading = keywardFormat.read(key);
      const isKey = typeof reading === 'object';
      const said = isKey
        ? { well_formed: true, kind: reading.kind, environment: reading.environment }
        : { well_formed: false, why: reading === 'malformed' ? 'mistyped or cut short' : 'not of this format' };
      if (json) printJson(io, said);
      else printFields(io, Object.fromEntries(Object.entries(said).map(([name, value]) => [name, String(value)])));
      if (!isKey) throw new CliError('This is no key.');
    });

  keys
    .command('patterns')
    .description(`patterns for secret scanners: ${SCANNERS.join(', ')}`)
    .action(() => {
      for (const scanner of SCANNERS) printLine(io, `# ${scanner}\n${patternsFor(scanner)}\n`);
    });

  keys
    .command('scan <folder>')
    .description('find keys in files by their shape and check character; exits with 1 when there are any')
    .option('--json', 'print one line of JSON')
    .action(async (folder: string, { json }: { json?: boolean }) => {
      const found: FoundKey[] = [];
      for await (const key of scanFolder(folder, KEY_PATTERN)) {
        found.push(key);
        if (!json)
          printLine(io, `${key.file}:${key.line}:${key.column}  ${key.kind} key, ${key.environment}  ${key.hint}`);
      }
      if (json) printJson(io, { found });
      if (found.length > 0)
        throw new CliError(`${found.length} found. Roll or revoke them: what was committed is known.`);
      if (!json) printLine(io, 'No keys were found.');
    });
}
