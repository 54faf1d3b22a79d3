import { Readable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';

const openStore = jest.fn<() => Promise<never>>();
jest.unstable_mockModule('../../lib/store/open-store.js', () => ({ openStore, checkDriver: openStore }));
const { checkDatabaseDriver, openDatabase } = await import('../../lib/cli/database.js');
const { CliError } = await import('../../lib/cli/cli-error.js');
const { runCli } = await import('../../lib/cli/program.js');
const { outputInto } = await import('../support/command-line.js');

const DATABASE = { url: 'file:./keyward.db', source: '--database', name: 'file:./keyward.db' };

describe.each([
  ['opening a database', openDatabase],
  ['checking its driver', checkDatabaseDriver],
])('%s', (_what, work) => {
  it('throws an unexpected TypeError as it is, so that it is printed with its stack', async () => {
    const bug = new TypeError("Cannot read properties of undefined (reading 'id')");
    openStore.mockRejectedValue(bug);
    await expect(work(DATABASE)).rejects.toBe(bug);
  });

  it('names the option for a wrong URL', async () => {
    openStore.mockRejectedValue(new TypeError('openStore: expected a URL'));
    const thrown = await work(DATABASE).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(CliError);
    expect(thrown).toMatchObject({ message: '--database: expected a URL', exitCode: 2 });
  });
});

it.each([
  ['a bug', new TypeError("Cannot read properties of undefined (reading 'id')")],
  ['a wrong argument of a function of Node', Object.assign(new TypeError('a fault'), { code: 'ERR_INVALID_ARG_TYPE' })],
])('a command throws %s as it is, so that it is printed with its stack', async (_what, bug) => {
  openStore.mockRejectedValue(bug);
  const [out, err]: [string[], string[]] = [[], []];
  const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr: outputInto(err), env: {} };
  await expect(runCli(['accounts', 'list', '--json'], io)).rejects.toBe(bug);
  expect([out, err]).toEqual([[], []]);
});
