import { describe, expect, it } from '@jest/globals';
import { UnknownOptionFirstCommand } from '../../lib/cli/unknown-option-first.js';

/** The error of a command line for `keys create --account NAME [--json]`. */
async function errorOf(line: string) {
  const program = new UnknownOptionFirstCommand('keyward').exitOverride().configureOutput({
    writeErr: () => undefined,
    writeOut: () => undefined,
  });
  const keys = program.command('keys');
  keys
    .command('create [names...]')
    .requiredOption('--account <name>')
    .option('--json')
    .action(() => undefined);
  const failure: unknown = await program
    .parseAsync(line.split(' '), { from: 'user' })
    .then(() => undefined)
    .catch((error: unknown) => error);
  return failure === undefined ? undefined : (failure as Error).message;
}

describe('an unknown option', () => {
  it.each([
    ['keys create --acount acme', "error: unknown option '--acount'\n(Did you mean --account?)"],
    ['keys create --acount=acme', "error: unknown option '--acount'\n(Did you mean --account?)"],
    ['keys create --acount=a=b', "error: unknown option '--acount'\n(Did you mean --account?)"],
    ['keys create --json=1', "error: unknown option '--json'\n(Did you mean --json?)"],
    ['keys create -x', "error: unknown option '-x'"],
    ['keys create -x=--y=1', "error: unknown option '-x=--y=1'"],
    ['keys create --account acme --jsn', "error: unknown option '--jsn'\n(Did you mean --json?)"],
    ['keys --jsn create', "error: unknown option '--jsn'"],
  ])('is reported before a missing one: %s', async (line, message) => {
    expect(await errorOf(line)).toBe(message);
  });

  it.each([
    ['keys create', "error: required option '--account <name>' not specified"],
    ['keys create --json', "error: required option '--account <name>' not specified"],
    ['keys create --acount acme --help', '(outputHelp)'],
    ['keys create --acount acme -h', '(outputHelp)'],
    ['keys create --account acme', undefined],
  ])('is not reported for "%s"', async (line, message) => {
    expect(await errorOf(line)).toBe(message);
  });
});
