import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCli } from '../../../lib/cli/program.js';
import { outputInto } from '../../support/command-line.js';

const { columns } = process.stdout;
// Commander wraps lines at the width of the terminal, which may be another one where the tests run.
beforeAll(() => void Object.assign(process.stdout, { columns: 80 }));
afterAll(() => void Object.assign(process.stdout, { columns }));

async function helpOf(command: string): Promise<string> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr: outputInto(err), env: {} };
  const args = command.split(' ').slice(1);
  expect([await runCli([...args, '--help'], io), err]).toEqual([0, []]);
  return out.join('');
}

const GROUPS = {
  keyward: [
    ...['accounts', 'keys', 'access-keys', 'signing-keys', 'encryption-key', 'audit', 'migrate', 'routes'],
    ...['openapi', 'serve'],
  ],
  'keyward accounts': ['put', 'view', 'list', 'disable', 'enable'],
  'keyward keys': [
    ...['list', 'view', 'end-grace', 'usage', 'revoke', 'rotate', 'create', 'edit'],
    ...['import', 'find', 'inspect', 'patterns', 'scan'],
  ],
  'keyward access-keys': [
    ...['list', 'view', 'end-grace', 'usage', 'revoke', 'rotate', 'create', 'edit'],
    ...['add-secret', 'delete-secret', 'add-public-key', 'remove-public-key'],
  ],
  'keyward signing-keys': ['list', 'rotate', 'revoke'],
  'keyward encryption-key': ['rotate', 'finish'],
  'keyward openapi': ['check', 'describe'],
};
const COMMANDS = new Set(
  Object.entries(GROUPS).flatMap(([group, names]) => [group, ...names.map((name) => `${group} ${name}`)]),
);

describe('the help of', () => {
  it.each([...COMMANDS])('%s', async (command) => {
    expect(await helpOf(command)).toMatchSnapshot();
  });

  it.each([...COMMANDS])('%s has no option or command that is wider than the terminal', async (command) => {
    const lines = (await helpOf(command)).split('\n');
    expect(lines.filter((line) => line.startsWith('  ') && line.length > 80)).toEqual([]);
  });

  it.each([...COMMANDS])('%s has no text that is wider than the terminal, apart from examples', async (command) => {
    const lines = (await helpOf(command)).split('\n');
    expect(lines.filter((line) => !line.startsWith('Example: ') && line.length > 80)).toEqual([]);
  });

  it('a command follows the width of the terminal, and is 80 columns wide without one', async () => {
    const width = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));
    const terminal = process.stdout;
    const isTTY = Object.getOwnPropertyDescriptor(terminal, 'isTTY');
    const help = async (columns: number | undefined) => {
      Object.defineProperty(terminal, 'isTTY', { value: columns !== undefined, configurable: true });
      Object.assign(terminal, { columns });
      return width(await helpOf('keyward migrate'));
    };
    const widths = [await help(60), await help(140), await help(undefined)];
    if (isTTY === undefined) Reflect.deleteProperty(terminal, 'isTTY');
    else Object.defineProperty(terminal, 'isTTY', isTTY);
    Object.assign(terminal, { columns: 80 });
    expect(widths[0]).toBeLessThanOrEqual(60);
    expect(widths[1]).toBeGreaterThan(100);
    expect(widths[1]).toBeLessThanOrEqual(140);
    expect(widths[2]).toBeLessThanOrEqual(80);
  });

  it('each group lists the commands that are compared here', async () => {
    for (const [group, names] of Object.entries(GROUPS)) {
      const [, list = ''] = (await helpOf(group)).split('Commands:\n');
      const listed = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name);
      expect(listed.filter((name) => name !== 'help')).toEqual(names);
    }
  });
});
