import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import * as real from '../../../lib/cli/serve/wait-for-account.js';
import { eventually } from '../../support/store-wait.js';
import { placesOf, type TestPlace } from '../../support/test-stores.js';

let meanwhile: jest.Mock<() => Promise<void>>;
jest.unstable_mockModule('../../../lib/cli/serve/wait-for-account.js', () => ({
  // It does not wait for a second.
  waitForAccount: (...[choose, reason, ended]: Parameters<typeof real.waitForAccount>) =>
    real.waitForAccount(choose, reason, ended, meanwhile),
}));
const { runCli } = await import('../../../lib/cli/program.js');
const { commandLine, outputInto } = await import('../../support/command-line.js');

let place: TestPlace;
beforeEach(async () => {
  place = await placesOf.SQLite();
  meanwhile = jest.fn(async () => undefined);
});
afterEach(() => place.remove());

const createAccount = async () => void (await commandLine(place).json('accounts', 'put', 'acme', '--api', 'payments'));

/** Serves until the server is ready, and returns what it printed. */
async function serveUntilReady(): Promise<string> {
  const [out, err]: [string[], string[]] = [[], []];
  const env = { KEYWARD_DATABASE: place.url, KEYWARD_ENCRYPTION_KEY: 'A'.repeat(43) };
  const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr: outputInto(err), env };
  const ended = runCli(['serve', '--audience', 'https://api.test', '--port', '0', '--no-log'], io);
  const issuer = () => /^Issuer +(\S+)$/m.exec(out.join(''))?.[1];
  const isReady = async () => (await fetch(`${issuer()}/readyz`, { headers: { connection: 'close' } })).ok;
  await eventually(async () => issuer() !== undefined && (await isReady()));
  process.emit('SIGTERM', 'SIGTERM');
  expect(await ended).toBe(143);
  return out.join('');
}

it('keyward serve waits for an account, and then serves its Dashboard', async () => {
  meanwhile.mockImplementationOnce(createAccount);
  expect(await serveUntilReady()).toMatch(/^Press Ctrl-C to stop\.\nDashboard {2}\S+, account acme$/m);
});

it('keyward serve waits for no other account, and mounts one Dashboard', async () => {
  await createAccount();
  expect((await serveUntilReady()).match(/^Dashboard {2}\S+, account acme$/gm)).toHaveLength(1);
  expect(meanwhile).not.toHaveBeenCalled();
});
