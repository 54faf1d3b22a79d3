import { channel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Database } from '../../lib/cli/database.js';
import type { CredentialStore, StoreOptions } from '../../lib/store/index.js';

type OpenStore = (url: string, options: StoreOptions) => Promise<CredentialStore>;

const openStore = jest.fn<OpenStore>();
const real = await import('../../lib/store/open-store.js');
jest.unstable_mockModule('../../lib/store/open-store.js', () => ({ ...real, openStore }));
const { openReady } = await import('../../lib/cli/database.js');

const DATABASE: Database = { url: 'postgres://db/keys', source: '--database', name: 'postgres://db/keys' };
const READ_ONLY = 'is read-only, probably because it is a standby; use the URL of the primary, or try again later';
const warn = (warning: string, detail?: string) => channel('keyward:store').publish({ warning, detail });

let closed: string[];
beforeEach(() => {
  closed = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  openStore.mockReset();
});

/** A store, and whether it is ready each time it is asked: the last answer is repeated. */
function storeThatIs(name: string, ...answers: boolean[]): CredentialStore {
  const ready = async () => (answers.length > 1 ? answers.shift() : answers[0]) === true;
  return { ready, close: async () => void closed.push(name) } as Partial<CredentialStore> as CredentialStore;
}

/** Opens the database, and lets time pass until its error is there. */
async function errorOfOpening(readOnly?: boolean): Promise<unknown> {
  const failure = openReady(DATABASE, undefined, readOnly).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(11_000);
  return await failure;
}

function error(reason: string): object {
  return { name: 'CliError', message: `the database ${DATABASE.name} ${reason}`, exitCode: 3 };
}

it.each<[string, [string, string?][], string]>([
  ['says nothing', [], 'cannot be reached: it does not respond'],
  ['cannot be reached', [['unreachable', 'connect ECONNREFUSED']], 'cannot be reached: connect ECONNREFUSED'],
  ['cannot be reached, without a reason', [['unreachable']], 'cannot be reached: it does not respond'],
  ['cannot be used', [['unusable', 'a wrong password']], 'cannot be used: a wrong password'],
  ['could be reached later', [['unreachable', 'lost'], ['reachable']], 'cannot be reached: it does not respond'],
  ['has another warning', [['pool_full', 'too many']], 'cannot be reached: it does not respond'],
  ['cannot be written', [['unusable', 'cannot execute INSERT (25006)']], READ_ONLY],
  ['cannot be written, in other words', [['unusable', '25006 is its code']], 'cannot be used: 25006 is its code'],
])('a database that %s', async (_what, warnings, reason) => {
  openStore.mockImplementationOnce(async () => {
    for (const [warning, detail] of warnings) warn(warning, detail);
    return storeThatIs('store', false);
  });
  openStore.mockRejectedValueOnce(new Error('no reader'));
  expect(await errorOfOpening()).toMatchObject(error(reason));
  expect(closed).toEqual(['store']);
  expect(channel('keyward:store').hasSubscribers).toBe(false);
});

it.each([
  ['can be read and not written', [false], [true], READ_ONLY],
  ['can be neither read nor written', [false], [false], 'cannot be reached: it does not respond'],
  // It is asked 40 times in ten seconds, and once more after it could be read.
  [
    'can be written in the end',
    [...Array.from({ length: 40 }, () => false), true],
    [true],
    'cannot be reached: it does not respond',
  ],
])('a database that %s', async (_what, ready, readerReady, reason) => {
  openStore.mockImplementation(async (_url, { readOnly }) =>
    readOnly === true ? storeThatIs('reader', ...readerReady) : storeThatIs('store', ...ready),
  );
  expect(await errorOfOpening()).toMatchObject(error(reason));
  expect(closed).toEqual(['reader', 'store']);
});

it('a database that is ready after some time', async () => {
  const store = storeThatIs('store', false, false, true);
  openStore.mockResolvedValue(store);
  const opened = openReady(DATABASE, undefined, true);
  await jest.advanceTimersByTimeAsync(500);
  expect(await opened).toBe(store);
  expect(openStore.mock.calls).toEqual([[DATABASE.url, { encryptionKey: undefined, readOnly: true }]]);
  expect([closed, channel('keyward:store').hasSubscribers]).toEqual([[], false]);
});
