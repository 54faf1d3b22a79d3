import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { canariesOf } from '../support/canaries.js';
import { fileOf, onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { secretRow } from '../support/stored-rows.js';
import { type EngineName, sharedEngines } from '../support/test-stores.js';

const ENCRYPTION_KEY = randomBytes(32);

/** What a store was given, and must not keep. */
interface Given {
  readonly secrets: readonly string[];
  readonly digests: readonly string[];
  readonly publicKey: string;
}

/** Fills a store as management and an issuer do: made, rotated, revoked, deleted. */
async function fill(store: CredentialStore): Promise<Given> {
  const [secret, publicKey, live] = [
    await storeKey(store, { name: 'Till' }),
    await storeKey(store, { kind: 'public', apis: '["payments"]' }),
    await storeKey(store, { kind: 'access', scopes: '[]', default_scopes: '[]' }),
  ];
  const [rotated, deleted] = [mintKey('secret', 'live'), mintKey('secret', 'live')];
  await store.repository.transact(async (tx) => {
    await tx.endSecret(digestOf(secret.text), Date.now());
    await tx.insertSecret(secretRow(secret.id, rotated));
    await tx.insertSecret(secretRow(live.id, deleted));
    await tx.deleteSecret(digestOf(deleted));
    await tx.updateKey(live.id, 1, { revoked_at: Date.now() });
    tx.notify({ accessKey: live.id });
  });
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });
  await store.addSigningKey({ kid: 'one', alg: 'RS256', jwk, createdAt: new Date() }, undefined);
  const texts = [secret.text, live.text, rotated, deleted];
  const { d = '', p = '', q = '' } = jwk;
  return {
    secrets: [
      ...texts.map(randomPart),
      d,
      p,
      q,
      ENCRYPTION_KEY.toString('base64url'),
      ENCRYPTION_KEY.toString('latin1'),
    ],
    digests: [secret.text, live.text, rotated].map(digestOf),
    publicKey: publicKey.text,
  };
}

const randomPart = (text: string) => text.slice(text.lastIndexOf('_') + 1);

describe.each(sharedEngines)('data at rest in %s', (engine) => {
  let stores: Stores;
  let given: Given;

  beforeAll(async () => {
    stores = await makeStores(engine);
    given = await fill(await stores.open({ encryptionKey: ENCRYPTION_KEY }));
  });

  afterAll(() => stores.close());

  const bytesOf = (path: string) => readFileSync(path).toString('latin1');

  async function backup(): Promise<string> {
    const database = new Database(fileOf(stores.url));
    const copy = `${fileOf(stores.url)}.backup`;
    await database.backup(copy);
    database.close();
    return bytesOf(copy);
  }

  /** Every row of every table, as a dump has them. */
  async function dump(): Promise<string> {
    const tables = await onDatabase(
      stores.url,
      engine === 'SQLite'
        ? `select name from sqlite_master where type = 'table'`
        : `select table_name as name from information_schema.tables where table_schema = '${schemaOf(stores.url)}'`,
    );
    const rows = tables.map(({ name }) => onDatabase(stores.url, `select * from "${name}"`));
    return JSON.stringify(await Promise.all(rows));
  }

  const PLACES: Readonly<Partial<Record<EngineName, Readonly<Record<string, () => string | Promise<string>>>>>> = {
    SQLite: {
      'the WAL': () => bytesOf(`${fileOf(stores.url)}-wal`),
      'a store dump': dump,
      'a backup': backup,
    },
    PostgreSQL: { 'a store dump': dump },
  };

  it.each(Object.entries(PLACES[engine] ?? {}))(
    'P13 %s: no secret, only digests and public keys',
    async (_what, read) => {
      const text = await read();
      expect(canariesOf(given.secrets).heardIn(text)).toEqual([]);
      for (const digest of given.digests) expect(text).toContain(digest);
      expect(text).toContain(given.publicKey);
    },
  );

  if (engine === 'SQLite') {
    it('P13 the database file after a checkpoint: no secret, and no other file that others can read', async () => {
      const file = fileOf(stores.url);
      await onDatabase(stores.url, 'pragma wal_checkpoint(truncate)', 'vacuum');
      expect(canariesOf(given.secrets).heardIn(bytesOf(file))).toEqual([]);
      for (const digest of given.digests) expect(bytesOf(file)).toContain(digest);
      const modes = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
      expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual(modes.map(() => 0o600));
    });
  }
});
