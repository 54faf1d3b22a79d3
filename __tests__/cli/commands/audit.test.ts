import { beforeEach, expect, it } from '@jest/globals';
import { openStore } from '../../../lib/store/open-store.js';
import { START } from '../../support/manual-clock.js';
import { onDatabase } from '../../support/store-database.js';
import { accountRow } from '../../support/stored-rows.js';
import { transcriptOnDatabase } from '../../support/transcript.js';

const keyward = transcriptOnDatabase();

/** The entries: action, outcome, subject, the values before and after, actor, role, address and account. */
const ENTRIES = [
  ['account.put', 'done', null, null, { apis: ['payments'] }, 'cli:kim', null, null, 'acme'],
  ['key.create', 'done', 'key_1', null, { name: 'Till' }, 'ada', 'owner', '203.0.113.9', 'acme'],
  ['key.edit', 'done', 'key_1', { name: 'Till', scopes: null }, { name: 'Shop', scopes: ['a'] }, 'ada', 'developer'],
  ['key.rotate', 'done', 'key_1', { secrets: ['x'] }, { secrets: ['y'] }, 'ada', 'owner', '2001:db8::7', 'acme'],
  ['key.revoke', 'done', 'key_1', { revokedAt: null, name: 'Shop' }, { revokedAt: 1 }, 'cli:kim', 'owner'],
  ['key.revoke', 'refused', 'key_1', null, { refused: 'revoked' }, 'ada', 'owner'],
  ['key.revoke', 'refused', 'key_1', null, { refused: 'revoked', count: 3 }, 'somebody-with-a-long-name', 'owner'],
  ['key.import', 'done', null, null, { imported: 1 }, 'cli:kim', null, null, 'globex'],
  ['key.import', 'done', null, null, { imported: 2000 }, 'cli:kim', null, null, 'globex'],
  ['signing_key.create', 'done', 'kid-1', null, { alg: 'RS256' }, 'cli:kim', null, null, '-'],
] as const;

beforeEach(async () => {
  const store = await openStore(keyward.url);
  await store.repository.transact((tx) => tx.insertAccount(accountRow({ id: 'acme' })));
  await store.close();
  const text = (value: unknown) => (value === null || value === undefined ? 'null' : `'${value}'`);
  const json = (value: unknown) => (value === null ? 'null' : `'${JSON.stringify(value)}'`);
  const rows = ENTRIES.map(
    ([action, outcome, subject, before, after, actor, role = null, origin = null, account = 'acme'], at) =>
      `('id_${at}', ${START + 1_000 * at + 123}, '${account}', '${actor}', ${text(role)}, '${action}', '${outcome}', ${text(subject)}, ${json(before)}, ${json(after)}, ${text(origin)})`,
  );
  await onDatabase(
    keyward.url,
    `insert into audit (id, at, account, actor, role, action, outcome, subject, before, after, origin) values ${rows}`,
  );
});

it('the whole output of keyward audit, for every account, one account, and signing keys', async () => {
  expect(await keyward.both('audit')).toMatchSnapshot();
  expect(await keyward.run('audit', '--account', 'acme')).toMatchSnapshot();
  expect(await keyward.both('audit', '--account', '-')).toMatchSnapshot();
});

it.each([
  [['--subject', 'key_1', '--limit', '1']],
  [['--actor', 'ada', '--action', 'key.create']],
  [['--action', 'key.rotate', '--account', 'acme']],
  [['--from', '2027-01-15T08:00:08Z']],
  [['--to', '2027-01-15 08:00:01']],
  [['--from', '2027-01-16']],
])('the whole output of keyward audit with %j', async (args) => {
  expect(await keyward.run('audit', ...args)).toMatchSnapshot();
});

it('the whole output of keyward audit, page by page, and for an unknown account', async () => {
  const { next } = await keyward.json<{ next: string }>('audit', '--limit', '9');
  expect(await keyward.both('audit', '--limit', '9', '--after', next)).toMatchSnapshot();
  expect(await keyward.run('audit', '--limit', '1', '--json')).toMatchSnapshot();
  expect(await keyward.both('audit', '--account', 'nobody')).toMatchSnapshot();
  expect(await keyward.both('audit', '--after', 'x')).toMatchSnapshot();
});
