import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { createManagement } from '../../lib/management/create-management.js';
import { openStore } from '../../lib/store/open-store.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const HEADING = 'digest,kind,apis,id,name,hint,created_at,expires_at';
const ID = /id: expected a string of 1 to 64 characters \(A-Z, a-z, 0-9, "_" and "-"\)/;
const NAME =
  /name: expected at most 100 characters, not all of them spaces; tabs, line breaks and invisible formatting characters are not allowed/;
const HINT = /hint: expected 1 to 32 visible characters/;
const CREATED = /created_at: expected an ISO 8601 date or time from 1970 to 9999/;
const EXPIRES = /expires_at: expected an ISO 8601 date or time from 1970 to 9999/;

const row = ({ key = 'x', id = '', name = '', hint = '', created = '', expires = '' }) =>
  [digestOf(key), 'secret', 'payments', id, name, hint, created, expires].join(',');

describe.each(sharedEngines)('keyward keys import, on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;
  let folder: string;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    folder = mkdtempSync(join(tmpdir(), 'keyward-rows-'));
    await keyward.json('accounts', 'put', 'acme', '--api', 'payments');
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });

  async function importing(lines: readonly string[], ...args: string[]) {
    const file = join(folder, 'keys.csv');
    writeFileSync(file, [HEADING, ...lines, ''].join('\n'));
    return await keyward.run('keys', 'import', file, '--account', 'acme', ...args);
  }

  /** Every key of the account, two a page. */
  async function idsOnPages(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const cursor = after === undefined ? [] : ['--after', after];
      const page: { keys: { id: string }[]; next: string | null } = await keyward.json(
        ...['keys', 'list', '--account', 'acme', '--limit', '2', ...cursor],
      );
      ids.push(...page.keys.map(({ id }) => id));
      // Without the cursor, the first page would be read again and again.
      expect(page.next).not.toBeUndefined();
      after = page.next;
    }
    return ids;
  }

  it.each([
    ['an id with a dot', { id: 'old.1' }, ID],
    ['an id with a colon', { id: 'old:1' }, ID],
    ['the id "new", a page of the Dashboard', { id: 'new' }, ID],
    ['the id "NEW", as routes ignore case', { id: 'NEW' }, ID],
    ['the id "constructor"', { id: 'constructor' }, ID],
    ['an id with a slash', { id: 'a/b' }, ID],
    ['a creation before 1970', { created: '1969-12-31T23:59:59Z' }, CREATED],
    ['an expiry before 1970', { expires: '0001-01-01' }, EXPIRES],
    ['an expiry past the year 9999', { expires: '+010000-01-01T00:00:00Z' }, EXPIRES],
    ['a creation past the year 9999', { created: '+275760-09-13T00:00:00Z' }, CREATED],
    ['a day that no calendar has', { created: '2024-02-31' }, CREATED],
    ['a time without its zone', { expires: '2030-01-01T12:00:00' }, EXPIRES],
    ['ESC in a name', { name: 'till\u001b[31m' }, NAME],
    ['NUL in a name', { name: 'till\0' }, NAME],
    ['a bidi mark in a name', { name: 'a\u202eb' }, NAME],
    ['ESC in a hint', { hint: 'live_\u001b[2J' }, HINT],
    ['NUL in a hint', { hint: 'live_\0' }, HINT],
    ['a bidi mark in a hint', { hint: 'live_\u202e12' }, HINT],
  ])('N24 refuses %s, with line and reason', async (_what, cells, why) => {
    const { code, err, out } = await importing([row({ key: 'good' }), row(cells)]);
    expect(err.split('\n')[0]).toMatch(new RegExp(`^line 3: ${why.source}`));
    expect(code).toBe(1);
    expect(out).toMatch(/^0 keys imported/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(err).not.toMatch(/[\0\u001b\u202e]/);
  });

  it('updates the statistics of the database after a large import', async () => {
    const lines = Array.from({ length: 1_000 }, (_none, i) => row({ key: `sk_${i}` }));
    expect((await importing(lines)).code).toBe(0);
    const [found] = await onDatabase(
      place.url,
      engine === 'SQLite'
        ? "select max(cast(stat as integer)) as count from sqlite_stat1 where tbl = 'keys'"
        : `select reltuples::int as count from pg_class where oid = '"${schemaOf(place.url)}".keys'::regclass`,
    );
    expect(found).toEqual({ count: 1_000 });
  });

  it('N24 refuses a digest of another account, and one of an access key', async () => {
    await keyward.json('accounts', 'put', 'globex', '--api', 'payments', '--scope', 'payments');
    const made = await keyward.json<{ key: string }>(
      ...['keys', 'create', '--account', 'globex', '--kind', 'secret', '--api', 'payments'],
    );
    await keyward.json('accounts', 'put', 'acme', '--scope', 'payments');
    const access = await keyward.json<{ secret: string }>(
      ...['access-keys', 'create', '--account', 'acme', '--scope', 'payments'],
    );
    const lines = [row({ key: 'good' }), row({ key: made.key }), row({ key: access.secret })];
    const { code, err, out } = await importing(lines);
    expect(err).toMatch(
      /^line 3: digest: this digest already belongs to a key of another account\nline 4: digest: this digest already belongs to an access key\n/,
    );
    expect([code, out]).toEqual([1, expect.stringMatching(/^0 keys imported, 0 skipped/)]);
    expect(await idsOnPages()).toEqual([]);
  });

  it('N24 lists all imported rows, also rows that already break the rule', async () => {
    const lines = ['a', 'b-2', '_'.repeat(3), 'Z_9', '7'].map((id, at) => row({ key: `k${at}`, id: `x${id}` }));
    expect(await importing([...lines, row({ key: 'older', id: 'old', created: '1970-01-01' })])).toMatchObject({
      code: 0,
      err: '',
    });
    const store = await openStore(place.url);
    await store.repository.transact(async (tx) => {
      const found = await tx.key('old');
      if (found === undefined) throw new Error('not imported');
      const odd = ['old.1', 'old:2', 'new', 'with space'].map((id) => ({ ...found, id, created_at: -5_000 }));
      const secret = {
        hint: 'x',
        public_text: null,
        created_at: 0,
        retires_at: null,
        ended_at: null,
        last_used_at: null,
        last_used_from: null,
      };
      await tx.insertKeys(
        odd,
        odd.map(({ id }) => ({ ...secret, key_id: id, digest: digestOf(id) })),
      );
    });
    await store.close();
    const ids = await idsOnPages();
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });

  it.each([
    ['member.id', (text: string) => ({ id: text, account: 'acme', permissions: ['owner' as const] })],
    ['member.account', (text: string) => ({ id: 'ada', account: text, permissions: ['owner' as const] })],
    ['member.address', (address: string) => ({ id: 'ada', account: 'acme', permissions: ['owner' as const], address })],
  ])('N29 answers 400 to NUL in %s', async (field, memberWith) => {
    const store = await openStore(place.url);
    try {
      const { keys } = createManagement({ store });
      const settings = { kind: 'secret', apis: ['payments'] } as const;
      const made = keys.create(memberWith('a\0b'), settings);
      await expect(made).rejects.toMatchObject({ status: 400, code: 'invalid', field });
    } finally {
      await store.close();
    }
  });

  it('N29 answers 400 to NUL in every input of the management', async () => {
    const store = await openStore(place.url);
    const management = createManagement({ store });
    await management.accounts.put('op', 'acme', { scopes: ['payments'] });
    const ada = { id: 'ada', account: 'acme', permissions: ['owner'] } as const;
    const NUL = 'a\0b';
    const { accounts, keys, accessKeys } = management;
    const { key } = await keys.create(ada, { kind: 'secret', apis: ['payments'] });
    const access = await accessKeys.create(ada, { scopes: ['payments'] });
    const settings = { kind: 'secret', apis: ['payments'] } as const;
    const version = key.version;
    const calls: readonly Promise<unknown>[] = [
      accounts.put(NUL, 'acme', {}),
      accounts.put('op', NUL, {}),
      accounts.put('op', 'acme', { apis: [NUL] }),
      accounts.put('op', 'acme', { scopes: [NUL] }),
      accounts.put('op', 'acme', { channels: [NUL] }),
      accounts.put('op', 'acme', { platforms: [NUL] }),
      accounts.view(NUL),
      accounts.setDisabled('op', NUL, true),
      accounts.setDisabled(NUL, 'acme', true),
      keys.view(ada, NUL),
      keys.edit(ada, NUL, { version }),
      keys.revoke(ada, NUL),
      keys.endGrace(ada, NUL),
      keys.list(ada, { text: NUL }),
      keys.list(ada, { api: NUL }),
      keys.list(ada, { after: Buffer.from(`1 ${NUL}`).toString('base64url') }),
      keys.create(ada, { ...settings, name: NUL }),
      keys.create(ada, { ...settings, apis: [NUL] }),
      keys.create(ada, { ...settings, scopes: [NUL] }),
      keys.create(ada, { ...settings, channels: [NUL], platform: NUL }),
      keys.create(ada, settings, NUL),
      keys.import('op', 'acme', []).then(() => keys.import(NUL, 'acme', [])),
      keys.import('op', NUL, []),
      accessKeys.addSecret(ada, NUL),
      accessKeys.deleteSecret(ada, NUL, 'x'),
      accessKeys.deleteSecret(ada, access.key.id, NUL),
      management.audit(ada, { actor: NUL }),
      management.audit(ada, { subject: NUL }),
      management.audit(ada, { action: NUL }),
    ];
    const statuses = await Promise.all(
      calls.map((call) =>
        call.then(
          () => 200,
          (error) => error.status,
        ),
      ),
    );
    await store.close();
    expect(statuses).toEqual(calls.map(() => 400));
  });
});
