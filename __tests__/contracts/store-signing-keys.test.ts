import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const ENCRYPTION_KEY = Buffer.alloc(32, 7);
const ANOTHER_KEY = Buffer.alloc(32, 8).toString('base64url');
const REFUSED = { name: 'StoreError', code: 'encryption_key' };

const signingKey = (kid: string, at = 0) => {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return { kid, alg: 'ES256', jwk, createdAt: new Date(at) };
};

let stores: Stores;

afterEach(() => stores.close());

describe.each(engines)('signing keys in %s', (engine) => {
  let store: CredentialStore;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open({ encryptionKey: ENCRYPTION_KEY });
  });

  it('come back as they were added, in the order in which they were', async () => {
    const [first, second] = [signingKey('one', 20), signingKey('two', 10)];
    expect(await store.addSigningKey(first, undefined)).toBe(true);
    expect(await store.addSigningKey(second, 'one')).toBe(true);
    expect(await store.listSigningKeys()).toEqual([first, second]);
  });

  it('are added only after the newest that the caller saw', async () => {
    expect(await store.addSigningKey(signingKey('one'), 'nobody')).toBe(false);
    expect(await store.addSigningKey(signingKey('one'), undefined)).toBe(true);
    expect(await store.addSigningKey(signingKey('two'), undefined)).toBe(false);
    expect(await store.addSigningKey(signingKey('one'), 'one')).toBe(false);
    expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['one']);
  });

  it('are removed; one that is not there is no error, and the next takes the next number', async () => {
    await store.addSigningKey(signingKey('one'), undefined);
    await store.addSigningKey(signingKey('two'), 'one');
    await store.removeSigningKey('one');
    await store.removeSigningKey('nobody');
    expect(await store.addSigningKey(signingKey('three'), 'two')).toBe(true);
    expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['two', 'three']);
  });

  it('are not said to be another’s when the store cannot be reached', async () => {
    await store.close();
    await expect(Promise.resolve(store.addSigningKey(signingKey('one'), undefined))).rejects.toThrow();
  });
});

describe.each(sharedEngines)('signing keys in %s, which several share', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  it('one of many issuers that start at once adds its key', async () => {
    const issuers = await Promise.all([1, 2, 3].map(() => stores.open({ encryptionKey: ENCRYPTION_KEY })));
    const added = issuers.map((issuer, at) => issuer.addSigningKey(signingKey(`of ${at}`), undefined));
    expect((await Promise.all(added)).filter(Boolean)).toHaveLength(1);
    const lists = await Promise.all(issuers.map((issuer) => issuer.listSigningKeys()));
    expect(lists.map((keys) => keys.length)).toEqual([1, 1, 1]);
    expect(lists[1]).toEqual(lists[0]);
  });

  describe('at rest', () => {
    const sql = (...statements: string[]) => onDatabase(stores.url, ...statements);

    beforeEach(async () => {
      const store = await stores.open({ encryptionKey: ENCRYPTION_KEY });
      await store.addSigningKey(signingKey('one'), undefined);
      await store.addSigningKey(signingKey('two'), 'one');
    });

    it('are JWE: nothing of the private key is in a column', async () => {
      const key = signingKey('three');
      const store = await stores.open({ encryptionKey: ENCRYPTION_KEY });
      await store.addSigningKey(key, 'two');
      const columns = JSON.stringify(await sql('select * from signing_keys'));
      for (const member of [key.jwk.d, key.jwk.x, ENCRYPTION_KEY.toString('base64url')]) {
        expect(columns).not.toContain(member);
      }
      const header = JSON.parse(Buffer.from(/"(ey[^.]+)\./.exec(columns)?.[1] ?? '', 'base64url').toString());
      expect(header).toMatchObject({ alg: 'dir', enc: 'A256GCM' });
    });

    it('are opened by their key as text too', async () => {
      const store = await stores.open({ encryptionKey: ENCRYPTION_KEY.toString('base64url') });
      expect(await store.listSigningKeys()).toHaveLength(2);
    });

    it('stop an issuer with another encryptionKey from opening the store', async () => {
      await expect(stores.open({ encryptionKey: ANOTHER_KEY })).rejects.toMatchObject(REFUSED);
    });

    it('are neither read nor added without an encryptionKey; the rest of the store works', async () => {
      const store = await stores.open();
      await expect(store.listSigningKeys()).rejects.toMatchObject(REFUSED);
      await expect(store.addSigningKey(signingKey('three'), 'two')).rejects.toMatchObject(REFUSED);
      expect(await store.ready()).toBe(true);
      expect(await store.resolveAccessKey('nobody')).toBeUndefined();
    });

    it.each([
      ['a changed JWE', `update signing_keys set jwe = replace(jwe, '..', '.x.') where kid = 'two'`],
      ['a cut one', `update signing_keys set jwe = substr(jwe, 1, 60) where kid = 'two'`],
      ['what is none', `update signing_keys set jwe = 'x' where kid = 'two'`],
      ['one of another kid', `update signing_keys set kid = 'three' where kid = 'two'`],
    ])('are not opened from %s', async (_what, tampering) => {
      await sql(tampering);
      await expect(stores.open({ encryptionKey: ENCRYPTION_KEY })).rejects.toMatchObject(REFUSED);
    });

    it('are not opened from two that were swapped', async () => {
      const [one, two] = await sql('select jwe from signing_keys order by number');
      await sql(
        `update signing_keys set jwe = '${two?.jwe}' where kid = 'one'`,
        `update signing_keys set jwe = '${one?.jwe}' where kid = 'two'`,
      );
      await expect(stores.open({ encryptionKey: ENCRYPTION_KEY })).rejects.toMatchObject(REFUSED);
    });
  });
});
