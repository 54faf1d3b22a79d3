import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeSigningKey } from '../../../lib/issuer/signing-keys/signing-key.js';
import { openStore } from '../../../lib/store/open-store.js';
import { START } from '../../support/manual-clock.js';
import { onDatabase } from '../../support/store-database.js';
import { type Transcript, transcriptOn, transcriptOnDatabase } from '../../support/transcript.js';

const inFile = transcriptOnDatabase();

const [ONE, TWO] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64url')) as [string, string];
const DAY = 86_400_000;

let file: string;
let inVariable: Transcript;

beforeEach(async () => {
  file = join(inFile.folder, 'keyward.key');
  inVariable = inFile.withVariables({ KEYWARD_ENCRYPTION_KEY: ONE });
});

/** Adds signing keys past the command line: their kid, algorithm, age in days, and whether they are retired. */
async function addKeys(...keys: readonly (readonly [string, string, number, boolean?])[]): Promise<void> {
  await inVariable.run('migrate');
  const rows = keys.map(
    ([kid, alg, age, isRetired], at) =>
      `(${at + 1}, '${kid}', '${alg}', ${START - age * DAY}, 'x', ${isRetired ? START - 1 : 'null'})`,
  );
  await onDatabase(
    inFile.url,
    `insert into signing_keys (number, kid, alg, created_at, jwe, retired_at) values ${rows}`,
  );
}

describe('the whole output of keyward signing-keys', () => {
  it('list, without keys, and with keys in each state', async () => {
    expect(await inVariable.both('signing-keys', 'list')).toMatchSnapshot();
    await addKeys(['old', 'RS256', 9, true], ['signs', 'RS256', 3], ['es-key', 'ES256', 2], ['next', 'ES256', 0]);
    expect(await inVariable.both('signing-keys', 'list')).toMatchSnapshot();
  });

  it('rotate, for the first key, and after others', async () => {
    expect(await inVariable.run('signing-keys', 'rotate', '--algorithm', 'ES256')).toMatchSnapshot();
    expect(await inVariable.both('signing-keys', 'rotate')).toMatchSnapshot();
    expect(await inVariable.run('signing-keys', 'rotate', '--now')).toMatchSnapshot();
    // The time of the database, which this clock does not set.
    await onDatabase(inFile.url, `update signing_keys set retired_at = ${START} where retired_at is not null`);
    expect(await inVariable.run('signing-keys', 'list')).toMatchSnapshot();
  });

  it('rotate, if every key is retired', async () => {
    await inVariable.run('signing-keys', 'rotate', '--algorithm', 'ES256');
    await onDatabase(inFile.url, `update signing_keys set retired_at = ${START}`);
    expect(await inVariable.run('signing-keys', 'rotate')).toMatchSnapshot();
  });

  it('rotate, if one of several keys is retired', async () => {
    const { kid } = await inVariable.json<{ kid: string }>('signing-keys', 'rotate', '--algorithm', 'ES256');
    await inVariable.run('signing-keys', 'rotate');
    await onDatabase(inFile.url, `update signing_keys set retired_at = ${START} where kid = '${kid}'`);
    expect(await inVariable.run('signing-keys', 'rotate')).toContain(
      'Issuers will start to sign with it after 24 hours.',
    );
  });

  it('rotate, for too many keys, and without an encryption key', async () => {
    const store = await openStore(inFile.url, { encryptionKey: ONE });
    for (let before: string | undefined, count = 0; count < 20; count += 1) {
      const key = await makeSigningKey('ES256', START);
      await store.addSigningKey(key, before);
      before = key.kid;
    }
    await store.close();
    expect(await inVariable.both('signing-keys', 'rotate')).toMatchSnapshot();
    const rotate = ['signing-keys', 'rotate', '--encryption-key-file', file];
    expect(await inFile.run(...rotate)).toMatchSnapshot();
    writeFileSync(file, `${ONE}\n`, { mode: 0o644 });
    expect(await inFile.run(...rotate)).toMatchSnapshot();
    writeFileSync(file, 'short');
    chmodSync(file, 0o600);
    expect(await inFile.run(...rotate)).toMatchSnapshot();
  });

  it('revoke, with its question, and for an unknown key', async () => {
    await addKeys(['one', 'RS256', 3], ['two', 'RS256', 2]);
    expect(await inVariable.runWith('n\n', ['signing-keys', 'revoke', 'one'], true)).toMatchSnapshot();
    expect(await inVariable.runWith('y\n', ['signing-keys', 'revoke', 'one'], true)).toMatchSnapshot();
    expect(await inVariable.run('signing-keys', 'revoke', 'two', '--json')).toMatchSnapshot();
    expect(await inVariable.both('signing-keys', 'revoke', 'none')).toMatchSnapshot();
  });
});

describe('the whole output of keyward encryption-key', () => {
  it('in a file: rotate, and finish', async () => {
    const args = ['--encryption-key-file', file];
    writeFileSync(file, `${ONE}\n`, { mode: 0o600 });
    await inFile.run('signing-keys', 'rotate', '--algorithm', 'ES256', ...args);
    expect(await inFile.run('encryption-key', 'finish', ...args)).toMatchSnapshot();
    expect(await inFile.run('encryption-key', 'rotate', ...args)).toMatchSnapshot();
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^[\\w-]{43}\n${ONE}\n$`));
    expect(await inFile.both('encryption-key', 'rotate', ...args)).toMatchSnapshot();
    expect(await inFile.run('encryption-key', 'finish', ...args)).toMatchSnapshot();
    expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{43}\n$/);
    expect(await inFile.run('encryption-key', 'rotate', ...args, '--json')).toMatchSnapshot();
    expect(await inFile.run('encryption-key', 'finish', ...args, '--json')).toMatchSnapshot();
  });

  it('in a variable: rotate, and finish', async () => {
    await inVariable.run('signing-keys', 'rotate', '--algorithm', 'ES256');
    await inVariable.run('signing-keys', 'rotate', '--algorithm', 'ES256');
    expect(await inVariable.both('encryption-key', 'rotate')).toMatchSnapshot();
    expect(await inVariable.both('encryption-key', 'finish')).toMatchSnapshot();
    const both = { KEYWARD_DATABASE: inFile.url, KEYWARD_ENCRYPTION_KEY: `${TWO},${ONE}` };
    const rotated = transcriptOn(both, { [inFile.url]: 'file:keyward.db' });
    expect(await rotated.both('encryption-key', 'rotate')).toMatchSnapshot();
    expect(await rotated.both('encryption-key', 'finish')).toMatchSnapshot();
    const other = transcriptOn(
      { ...both, KEYWARD_DATABASE: `file:${join(inFile.folder, 'other.db')}` },
      { [inFile.folder]: '' },
    );
    expect(await other.both('encryption-key', 'finish')).toMatchSnapshot();
  });

  it('rotate, for a file that has something else than keys', async () => {
    writeFileSync(file, `${ONE}\nnotes`, { mode: 0o600 });
    expect(await inFile.both('encryption-key', 'rotate', '--encryption-key-file', file)).toMatchSnapshot();
    expect(readFileSync(file, 'utf8')).toBe(`${ONE}\nnotes`);
  });
});

it('the whole output of keyward migrate', async () => {
  expect(await inVariable.both('migrate')).toMatchSnapshot();
});
