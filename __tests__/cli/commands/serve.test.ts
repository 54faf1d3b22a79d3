import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { runCli } from '../../../lib/cli/program.js';
import { outputInto } from '../../support/command-line.js';
import { openFiles } from '../../support/open-files.js';
import { eventually } from '../../support/store-wait.js';

const onLinux = process.platform === 'linux' ? it : it.skip;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-serve-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

onLinux.each([true, false])(
  'keyward serve logs requests, and leaves nothing open when it ends, with JSON: %j',
  async (isJson) => {
    const count = () => ['SIGUSR2', 'SIGTERM', 'SIGINT'].map((signal) => process.listenerCount(signal));
    const before = count();
    const [out, err]: [string[], string[]] = [[], []];
    const args = ['serve', '--audience', 'https://api.test', '--port', '0', ...(isJson ? ['--json'] : [])];
    const env = { KEYWARD_DATABASE: `file:${join(folder, 'keyward.db')}`, KEYWARD_ENCRYPTION_KEY: 'A'.repeat(43) };
    const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr: outputInto(err), env };
    const ended = runCli(args, io);
    await eventually(() => /http:\/\/127\.0\.0\.1:\d+/.test(out.join('')));
    expect(openFiles(folder)).not.toEqual([]);
    const [issuer] = /http:\/\/127\.0\.0\.1:\d+/.exec(out.join('')) ?? [];
    expect((await fetch(`${issuer}/lost`, { headers: { connection: 'close' } })).status).toBe(404);
    await eventually(() => err.join('').includes('/lost'));
    const line = err.find((text) => text.includes('/lost')) ?? '';
    expect(line.startsWith('{')).toBe(isJson);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await ended).toBe(143);
    expect(count()).toEqual(before);
    expect(openFiles(folder)).toEqual([]);
  },
);
