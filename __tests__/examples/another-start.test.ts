import { exec } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { createManagement, type Management } from 'keyward/management';
import { type CredentialStore, openStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { startService } from './built-service.js';

const KEYS = ['secretAll', 'secretPayments', 'secretDisputes', 'secretEcommerce', 'public'] as const;
type KeyName = (typeof KEYS)[number];
interface Start extends Readonly<Record<KeyName | 'baseUrl' | 'accessToken' | 'accessKeyId', string>> {
  readonly accessKeySecret: string;
  readonly replaced: readonly string[];
}

const ACCOUNT = 'acc_demo';
const owner = { id: 'somebody', account: ACCOUNT, permissions: ['owner'] } as const;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pathOf = (name: string) => join(folder, name);
const kept = () => JSON.parse(readFileSync(pathOf('keyward.demo.json'), 'utf8'));

/** Starts the service, does something with it, and ends it. */
async function started(look: (start: Start) => Promise<void> = async () => undefined): Promise<Start> {
  const { end, printed, until } = await startService({ args: ['--json'], folder });
  try {
    await until(/\n/);
    const start: Start = JSON.parse(printed());
    await look(start);
    return start;
  } finally {
    await end('SIGTERM');
  }
}

/** What it says, where it does not start. */
async function ended(database?: string): Promise<string> {
  const place = database === undefined ? {} : { database };
  const { printed, until, end } = await startService({ args: ['--json'], folder, ...place });
  await expect(until(/never/)).rejects.toThrow('ended with');
  expect(await end('SIGTERM')).toBe(1);
  return printed();
}

/** Changes something by management, as the Dashboard and the command line do. */
async function meanwhile(work: (management: Management, store: CredentialStore) => Promise<unknown>): Promise<void> {
  const store = await openStore(`file:${pathOf('keyward.db')}`);
  try {
    await work(createManagement({ store }), store);
  } finally {
    await store.close();
  }
}

async function keyOf(store: CredentialStore, text: string): Promise<string> {
  const kind = text.startsWith('pk') ? 'public' : 'secret';
  const record = await store.resolveKey({ digest: digestOf(text), kind, environment: 'live', reveal: () => text });
  return record?.id ?? '';
}

async function expectAllAccepted(start: Start): Promise<void> {
  const status = async (path: string, credential: string) => {
    const headers = { authorization: `Bearer ${credential}`, connection: 'close' };
    return (await fetch(start.baseUrl + path, { headers })).status;
  };
  expect(await status('/payments/none', start.secretAll)).toBe(404);
  expect(await status('/disputes', start.secretAll)).toBe(200);
  expect(await status('/payments/none', start.secretPayments)).toBe(404);
  expect(await status('/disputes', start.secretDisputes)).toBe(200);
  expect(await status('/payments/none', start.secretEcommerce)).toBe(404);
  expect(await status('/caller', start.public)).toBe(200);
  expect(await status('/reports', start.accessToken)).toBe(200);
}

describe('another start', () => {
  it('reports which credential is no longer valid, and replaces it', async () => {
    const first = await started(expectAllAccepted);
    expect(first.replaced).toEqual([]);
    await meanwhile(async ({ keys, accessKeys }, store) => {
      const id = (name: KeyName) => keyOf(store, first[name]);
      await keys.edit(owner, await id('secretAll'), { version: 1, apis: ['payments'] });
      await keys.rotate(owner, await id('secretPayments'));
      await keys.revoke(owner, await id('secretDisputes'));
      await keys.edit(owner, await id('secretEcommerce'), { version: 1, disabled: true });
      await keys.revoke(owner, await keyOf(store, kept().expiredKey));
      await accessKeys.rotate(owner, first.accessKeyId, 3_600);
    });

    const second = await started(expectAllAccepted);
    expect(second.replaced).toEqual([
      `The demo's secret key "all APIs" was changed, so it was replaced.`,
      `The demo's secret key "payments only" was rotated, so it was replaced.`,
      `The demo's secret key "disputes only" was revoked, so it was replaced.`,
      `The demo's secret key "shop" was disabled, so it was replaced.`,
      `The demo's secret key "expired" was revoked, so it was replaced.`,
      `The demo's access key ${first.accessKeyId} has another secret, so it was replaced.`,
    ]);
    expect(second.public).toBe(first.public);
    expect(kept()).toMatchObject({ secretAll: second.secretAll, accessKeyId: second.accessKeyId });

    const third = await started(expectAllAccepted);
    expect(third.replaced).toEqual([]);
    for (const name of [...KEYS, 'accessKeySecret'] as const) expect(third[name]).toBe(second[name]);
  });

  it.each([
    ['deleted', 'was revoked', ({ accessKeys }: Management, id: string) => accessKeys.revoke(owner, id)],
    [
      'left with fewer scopes',
      'was changed',
      ({ accessKeys }: Management, id: string) =>
        accessKeys.edit(owner, id, { version: 1, scopes: ['payments'], defaultScopes: ['payments'] }),
    ],
  ])('prints it below the heading: an access key that was %s', async (_what, fault, change) => {
    const { accessKeyId } = await started();
    await meanwhile((management) => change(management, accessKeyId));
    const { printed, until, end } = await startService({ folder, args: ['--all'] });
    await until(/reason\n/);
    expect(printed()).toContain(
      `created when it was first started:\n\n  The demo's access key ${accessKeyId} ${fault}, so it was replaced.\n`,
    );
    expect(await end('SIGTERM')).toBe(0);
  });

  it('creates all again if the file with them is missing', async () => {
    const first = await started();
    rmSync(pathOf('keyward.demo.json'));
    const second = await started(expectAllAccepted);
    expect(second.secretAll).not.toBe(first.secretAll);
  });
});

describe('a start that fails prints the reason, and ends', () => {
  const startOver =
    'To start over, run: rm -f ./keyward.db ./keyward.db-wal ./keyward.db-shm ./keyward.key ./keyward.demo.json ./keyward.demo.env\n';

  it('without keyward.key but with stored signing keys; the printed remedy works', async () => {
    await started();
    rmSync(pathOf('keyward.key'));
    const sentence =
      'The signing keys in the database were encrypted with the key in ./keyward.key, which does not exist. ';
    // The same again: no other key was put there.
    for (const _ of [1, 2]) expect(await ended()).toBe(sentence + startOver);
    await promisify(exec)(startOver.split(': ')[1] ?? '', { cwd: folder });
    await started(expectAllAccepted);
  });

  it.each([
    [
      'is another',
      'A'.repeat(43),
      /^The signing keys .+ \.\/keyward\.key, which contains another key\. To start over, run: /,
    ],
    ['holds none', '', /^\.\/keyward\.key does not contain an encryption key\. To start over, run: /],
  ])('with a keyward.key that %s', async (_what, text, sentence) => {
    await started();
    writeFileSync(pathOf('keyward.key'), text);
    expect(await ended()).toMatch(sentence);
  });

  it('with an invalid file of credentials', async () => {
    await started();
    writeFileSync(pathOf('keyward.demo.json'), '{"secretAll":');
    expect(await ended()).toMatch(/^\.\/keyward\.demo\.json is not valid JSON\. Delete it and start again; [^\n]+\n$/);
  });

  it.each([
    ['is disabled', ({ accounts }: Management) => accounts.setDisabled('the operator', ACCOUNT, true)],
    [
      'lacks APIs, scopes, platforms or channels that the demo needs',
      ({ accounts }: Management) => accounts.put('the operator', ACCOUNT, { apis: ['payments'] }),
    ],
  ])('with an account that %s', async (fault, change) => {
    await started();
    await meanwhile(change);
    expect(await ended()).toBe(
      `The demo's account ${ACCOUNT} ${fault}. Change it back with "keyward accounts". ${startOver}`,
    );
  });

  it('without its database', async () => {
    expect(await ended('postgres://nobody@127.0.0.1:1/none')).toBe('The database in DATABASE_URL cannot be reached.\n');
  });

  it('when no token can be signed', async () => {
    await meanwhile(async ({ accounts }) => accounts.list());
    const database = new Database(pathOf('keyward.db'));
    database.exec("create trigger full before insert on signing_keys begin select raise(abort, 'full'); end");
    database.close();
    expect(await ended()).toMatch(
      /^the access key ack_[a-z2-7]{26} got no access token: the token endpoint returned status 50\d\n$/,
    );
  });
});
