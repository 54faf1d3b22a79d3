import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runCli } from '../../lib/cli/program.js';
import { createOutput } from '../../lib/cli/terminal/output-streams.js';
import { keywardFormat } from '../../lib/credentials/keyward-format.js';
import { ROOT } from '../examples/built-service.js';
import { build, forMutants } from '../support/built-cli.js';
import { type CommandLine, commandLine, outputInto } from '../support/command-line.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, type TestPlace } from '../support/test-stores.js';

const MAIN = join(ROOT, 'dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'keyward-output-'));
const url = `file:${join(folder, 'keyward.db')}`;
const keyward = commandLine({ url });
const env = { ...process.env, KEYWARD_DATABASE: url };

beforeAll(async () => {
  await build();
  await keyward.json('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Sink = 'a full disk' | 'a closed pipe';
const SINKS: readonly Sink[] = ['a full disk', 'a closed pipe'];

/** Runs a command whose standard output cannot be written. */
const runInto = forMutants ? runInProcessInto : runProcessInto;

async function runProcessInto(sink: Sink, ...args: string[]) {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [MAIN, ...args], {
    env,
    stdio: ['ignore', sink === 'a full disk' ? full : 'pipe', 'pipe'],
  });
  closeSync(full);
  child.stdout?.destroy();
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, err };
}

async function runInProcessInto(sink: Sink, ...args: string[]) {
  const fails = (_chunk: unknown, _encoding: string, done: (error: Error) => void) => done(new Error('write EPIPE'));
  // Instead of a pipe, a folder is opened: its descriptor is not one of a file or device either.
  const fd = openSync(sink === 'a full disk' ? '/dev/full' : folder, sink === 'a full disk' ? 'w' : 'r');
  const stream = Object.assign(new Writable({ write: fails }), { fd }) as unknown as typeof process.stdout;
  const err: string[] = [];
  const io = { stdin: Readable.from([]), stdout: createOutput(stream), stderr: outputInto(err), env };
  const code = await runCli(args, io);
  closeSync(fd);
  return { code, err: err.join('') };
}

const create = ['keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments'];
const createAccess = ['access-keys', 'create', '--account', 'acme', '--scope', 'payments'];

async function statesOf(group: 'keys' | 'access-keys'): Promise<readonly string[]> {
  const states = ['active', 'revoked'].map(async (state) => {
    const { keys } = await keyward.json<{ keys: { id: string }[] }>(
      ...[group, 'list', '--account', 'acme', '--state', state],
    );
    return keys.map(({ id }) => `${id} ${state}`);
  });
  return (await Promise.all(states)).flat();
}

describe.each(SINKS)('output into %s', (sink) => {
  it.each([
    ['keys create', 'keys', create],
    ['keys create --json', 'keys', [...create, '--json']],
    ['access-keys create', 'access-keys', createAccess],
  ] as const)('N25 %s: the key is revoked again, and that is said', async (_what, group, args) => {
    const before = await statesOf(group);
    const { code, err } = await runInto(sink, ...args);
    expect(code).toBe(4);
    const [, id = ''] =
      /the output could not be written: .*; the (?:access )?key ((?:key|ack)_\w+) was revoked, because/.exec(err) ?? [];
    expect((await statesOf(group)).filter((state) => !before.includes(state))).toEqual([`${id} revoked`]);
  });

  it('N25 access-keys add-secret: the new secret is deleted', async () => {
    const { id } = await keyward.json<{ id: string }>(...createAccess);
    const current = async () => {
      const { record } = await keyward.json<{ record: { secrets: { id: string; state: string }[] } }>(
        ...['access-keys', 'view', id],
      );
      return record.secrets.filter(({ state }) => state !== 'ended').map((secret) => secret.id);
    };
    const before = await current();
    const { code, err } = await runInto(sink, 'access-keys', 'add-secret', id);
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(/; the new secret was deleted, because it could not be shown; add another secret\n$/),
    ]);
    expect(before).toHaveLength(1);
    expect(await current()).toEqual(before);
  });

  it.each([
    ['keys', create, 'secret'],
    ['access-keys', createAccess, 'client secret'],
  ])('N25 %s rotate: says to rotate again', async (group, args, secret) => {
    const { record } = await keyward.json<{ record: { id: string } }>(...args);
    const { code, err } = await runInto(sink, group, 'rotate', record.id, '--grace', '1h');
    const lost = `; the key was rotated, but its new ${secret} could not be shown; rotate it again`;
    expect(code).toBe(4);
    expect(err).toContain(
      `${lost} (this ends the grace period of the old ${secret} immediately), or create another key\n`,
    );
    const atOnce = await runInto(sink, group, 'rotate', record.id, '--yes');
    expect(atOnce.err).toContain(`${lost}\n`);
  });

  it.each([
    ['accounts list', ['accounts', 'list']],
    ['audit --json', ['audit', '--account', 'acme', '--json']],
    ['keys patterns', ['keys', 'patterns']],
    ['--help', ['--help']],
    ['serve', ['serve', '--audience', 'https://api.test', '--port', '0', '--encryption-key-file', join(folder, 'k')]],
    ['a scan that finds nothing', ['keys', 'scan', join(ROOT, 'tsconfig.json')]],
  ])('N25 %s ends with 4 and a message', async (_what, args) => {
    const { code, err } = await runInto(sink, ...args);
    expect([code, err]).toEqual([4, expect.stringMatching(/the output could not be written: .*(?:ENOSPC|EPIPE)/)]);
  });

  it('N25 keys scan ends with 1 for leaks found', async () => {
    const leaks = mkdtempSync(join(folder, 'leaks-'));
    const { key = '' } = await keyward.json<{ key: string }>(...create);
    expect(keywardFormat.read(key)).toMatchObject({ kind: 'secret' });
    for (let file = 0; file < 50; file += 1) writeFileSync(join(leaks, `${file}.txt`), `${key}\n`.repeat(40));
    const { code, err } = await runInto(sink, 'keys', 'scan', leaks);
    expect(code).toBe(1);
    expect(err).toMatch(/^2000 keys were found; .*\nthe output could not be written: /);
  });
});

it('a server whose output is lost leaves no signal listener', async () => {
  const listeners = () => ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR2'].map((name) => process.listenerCount(name));
  const before = listeners();
  const args = ['serve', '--audience', 'https://api.test', '--port', '0', '--encryption-key-file', join(folder, 'k')];
  expect((await runInProcessInto('a closed pipe', ...args)).code).toBe(4);
  expect(listeners()).toEqual(before);
});

describe('output that is lost while the database fails', () => {
  let place: TestPlace;
  let own: CommandLine;

  beforeEach(async () => {
    place = await placesOf.SQLite();
    own = commandLine(place);
    await own.json('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
  });
  afterEach(() => place.remove());

  /** Runs a command whose output is lost. Nothing can be changed in the database from then on. */
  async function runWithFailure(args: readonly string[]): Promise<string> {
    const err: string[] = [];
    async function flush(): Promise<never> {
      await onDatabase(place.url, 'drop table if exists audit');
      throw new Error('write EPIPE');
    }
    const stdout = { isTerminal: false, write: () => undefined, flush };
    const env = { KEYWARD_DATABASE: place.url };
    expect(await runCli(args, { stdin: Readable.from([]), stdout, stderr: outputInto(err), env })).toBe(4);
    return err.join('');
  }

  const FAILURE =
    /^the output could not be written: write EPIPE; the new key or secret could not be shown, and revoking it failed \(.+\), so it may still be accepted; to /;

  it.each([
    ['keys', create],
    ['access-keys', createAccess],
  ])('%s create: says how to revoke the key', async (group, args) => {
    const said = await runWithFailure(args);
    expect(said).toMatch(FAILURE);
    const [{ id } = { id: '' }] = await onDatabase(place.url, 'select id from keys');
    expect(said).toMatch(new RegExp(`; to revoke the key, run: keyward ${group} revoke ${id}\n$`));
  });

  it('access-keys add-secret: says how to delete the secret, not the key', async () => {
    const { id, record } = await own.json<{ id: string; record: { secrets: { id: string }[] } }>(...createAccess);
    const said = await runWithFailure(['access-keys', 'add-secret', id]);
    expect(said).toMatch(FAILURE);
    expect(said).toMatch(new RegExp(`; to delete the secret, run: keyward access-keys delete-secret ${id} \\w+\n$`));
    expect(said).not.toContain(record.secrets[0]?.id);
  });
});
