import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { fixClock, type Transcript, transcriptOn } from '../support/transcript.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-usage-'));
const cwd = process.cwd();
let keyward: Transcript;

beforeAll(async () => {
  fixClock();
  process.chdir(folder);
  keyward = transcriptOn({}, { [process.cwd()]: 'FOLDER' });
  await keyward.json(
    ...['accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments'],
    ...['--channel', 'pc_1', '--channel', 'pc_2', '--platform', 'shop'],
  );
});

afterAll(() => {
  jest.useRealTimers();
  process.chdir(cwd);
  rmSync(folder, { recursive: true, force: true });
});

/** Command lines with a mistake. `@` is an empty argument. */
const MISTAKES = [
  'keyz',
  'keys',
  'keys creat',
  'keys list',
  'keys list --account acme extra',
  'keys list --account',
  'keys list --account acme --limit 0',
  'keys list --account acme --limit 201',
  'keys list --account acme --state gone',
  'keys list --account acme --sort size',
  'keys list --account acme --kind access',
  'keys list --account acme --unused-since soon',
  'keys list --account acme --acount x',
  'keys list --account @',
  'keys list --account nobody',
  'keys list --account acme --unused-since 0001-01-01',
  'keys create --account acme --kind secret',
  'keys create --account acme --api payments',
  'keys create --kind secret --api payments',
  'keys create --account acme --kind secret --api all --api payments',
  'keys create --account acme --kind secret --api payments --channel all --channel pc_1',
  'keys create --account acme --kind secret --api payments --environment test',
  'keys create --account acme --kind secret --api payments --expires tomorrow',
  'keys create --account acme --kind secret --api payments --expires 2020-01-01',
  'keys create --account acme --kind secret --api payments --metadata team',
  'keys create --account acme --kind secret --api payments --metadata a=1 --metadata a=2',
  'keys create --account acme --kind secret --api payments --metadata __proto__=2',
  'keys create --account acme --kind secret --api payments --limit 100',
  'keys create --account acme --kind secret --api payments --limit 5/1m --limit 6/1m',
  'keys create --account acme --kind secret --api payments --name @',
  'keys create --account acme --kind secret --api payments --platform @',
  'keys create --account acme --kind secret --api payments --platform shop',
  'keys create --account acme --kind secret --api payments --allow-address x',
  'keys create --account acme --kind secret --api payouts',
  'keys create --account acme --kind secret --api payments --scope refunds',
  'keys create --account acme --kind secret --api payments --channel pc_9',
  'keys create --account nobody --kind secret --api payments',
  'keys view',
  'keys view key_none',
  'keys edit key_none',
  'keys edit key_none --disable --enable',
  'keys edit key_none --name x',
  'keys rotate key_none --grace 7',
  'keys rotate key_none --grace soon',
  'keys rotate key_none --grace 31d',
  'keys usage key_none --from yesterday',
  'keys usage key_none',
  'keys revoke key_none --yess',
  'keys import keys.csv',
  'keys import keys.csv --account acme --from-line 0',
  'accounts view nobody',
  'accounts view @',
  'accounts put a/b',
  'accounts put __proto__',
  'accounts put acme --api all --api payments',
  'accounts put acme --platform a/b',
  'accounts disable nobody',
  'accounts enable nobody',
  'access-keys create --account acme --scope payments --default-scope other',
  'access-keys create --account acme --require-confirmation tls',
  'access-keys create --account nobody --scope payments',
  'access-keys view key_none',
  'access-keys edit ack_none',
  'access-keys add-public-key ack_none',
  'access-keys add-public-key ack_none none.pem',
  'access-keys delete-secret ack_none',
  'audit --from 7d',
  'audit --to 12h',
  'audit --limit x',
  'audit --after x',
  'signing-keys rotate --algorithm HS256',
  'accounts list --database mysql://db/x',
  'accounts list --database keyward.db',
  'accounts list --database postgres://ada:1/2@db/x',
  'accounts list --database file:none/keyward.db',
  'serve',
  'serve --audience x --port 65536',
  'serve --audience x --host @',
  'serve --audience x --account @',
  'serve --audience x --api-url http://b.test',
  'serve --audience x --host 0.0.0.0',
  'serve --audiance x',
  'routes',
  'routes none.mjs',
  'openapi check',
  'openapi check none.mjs',
  'help keyz',
  '--versoin',
];

describe('the whole output for a mistake', () => {
  it.each(MISTAKES)('%s', async (line) => {
    const args = line.split(' ').map((arg) => (arg === '@' ? '' : arg));
    expect(await keyward.both(...args)).toMatchSnapshot();
  });
});
