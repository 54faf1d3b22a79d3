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
  return { kid, alg: 'ES256', jwk, createdAt: new Date(at), retiredAt: null };
};

let stores: Stores;

afterEach(() => stores.close());

describe.each(engines)('signing keys in %s', (engine) => {
  let store: CredentialStore;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open({ encryptionKey: ENCRYPTION_KEY });
  });

  it('are returned as they were added, in order', async () => {
    const [first, second] = [signingKey('one', 20), signingKey('two', 10)];
    expect(await store.addSigningKey(first, undefined)).toBe(true);
    expect(await store.addSigningKey(second, 'one')).toBe(true);
    expect(await store.listSigningKeys()).toEqual([first, second]);
  });

  it('are added only if the caller saw the newest', async () => {
    expect(await store.addSigningKey(signingKey('one'), 'nobody')).toBe(false);
    expect(await store.addSigningKey(signingKey('one'), undefined)).toBe(true);
    expect(await store.addSigningKey(signingKey('two'), undefined)).toBe(false);
    expect(await store.addSigningKey(signingKey('one'), 'one')).toBe(false);
    expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['one']);
  });

  it('are removed; an unknown one is no error, and the next gets the next number', async () => {
    await store.addSigningKey(signingKey('one'), undefined);
    await store.addSigningKey(signingKey('two'), 'one');
    await store.removeSigningKey('one');
    await store.removeSigningKey('nobody');
    expect(await store.addSigningKey(signingKey('three'), 'two')).toBe(true);
    expect((await store.listSigningKeys()).map(({ kid }) => kid)).toEqual(['two', 'three']);
  });

  it('are retired once, and each change has an audit entry', async () => {
    await store.addSigningKey(signingKey('one'), undefined);
    await store.addSigningKey(signingKey('two'), 'one', 'cli:ada');
    await store.retireSigningKey('one');
    const [retired] = await store.listSigningKeys();
    expect(retired?.retiredAt).toEqual(expect.any(Date));
    await store.retireSigningKey('one');
    await store.retireSigningKey('nobody');
    expect((await store.listSigningKeys())[0]).toEqual(retired);
    await store.removeSigningKey('one');
    await store.removeSigningKey('one');
    await store.removeSigningKey('two', 'cli:ada');
    await store.reencryptSigningKeys('cli:ada');
    const entries = await store.repository.audit({ account: '-', limit: 10 });
    expect(entries.map(({ action, actor, subject }) => [action, actor, subject]).reverse()).toEqual([
      ['signing_key.create', 'issuer', 'one'],
      ['signing_key.create', 'cli:ada', 'two'],
      ['signing_key.retire', 'issuer', 'one'],
      ['signing_key.remove', 'issuer', 'one'],
      ['signing_key.revoke', 'cli:ada', 'two'],
      ['encryption_key.rotate', 'cli:ada', null],
    ]);
  });

  it('have audit entries of the platform, with the role and the details of each change', async () => {
    const before = Date.now();
    await store.addSigningKey(signingKey('one'), undefined);
    await store.addSigningKey(signingKey('two'), 'one', 'cli:ada');
    await store.retireSigningKey('one', 'cli:ada');
    await store.reencryptSigningKeys('cli:ada');
    const entries = await store.repository.audit({ account: '-', limit: 10 });
    const common = { account: '-', outcome: 'done', before: null, origin: null, refusals: null };
    expect([...entries].reverse()).toEqual(
      [
        { actor: 'issuer', role: null, action: 'signing_key.create', subject: 'one', after: '{"algorithm":"ES256"}' },
        {
          actor: 'cli:ada',
          role: 'operator',
          action: 'signing_key.create',
          subject: 'two',
          after: '{"algorithm":"ES256"}',
        },
        { actor: 'cli:ada', role: 'operator', action: 'signing_key.retire', subject: 'one', after: null },
        {
          actor: 'cli:ada',
          role: 'operator',
          action: 'encryption_key.rotate',
          subject: null,
          after: '{"signingKeys":2}',
        },
      ].map((entry) => ({ ...common, ...entry, id: expect.any(String), at: expect.any(Number) })),
    );
    for (const { at } of entries) {
      expect(at).toBeGreaterThanOrEqual(before - 1);
      expect(at).toBeLessThanOrEqual(Date.now() + 1);
    }
    const [retired, current] = await store.describeSigningKeys();
    expect(current).toEqual({ kid: 'two', alg: 'ES256', createdAt: new Date(0), retiredAt: null });
    expect(retired?.retiredAt?.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(retired).not.toHaveProperty('jwk');
  });

  it('a store that cannot be reached does not report another encryption key', async () => {
    await store.close();
    await expect(Promise.resolve(store.addSigningKey(signingKey('one'), undefined))).rejects.toThrow();
  });
});

describe.each(sharedEngines)('signing keys in %s, shared by several issuers', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  it('one of many issuers that start concurrently adds its key', async () => {
    // On a slow machine, stores of one process that migrate the same SQLite file at once delay each other for too long.
    await stores.open();
    const issuers = await Promise.all([1, 2, 3].map(() => stores.open({ encryptionKey: ENCRYPTION_KEY })));
    const added = issuers.map((issuer, at) => issuer.addSigningKey(signingKey(`of ${at}`), undefined));
    expect((await Promise.all(added)).filter(Boolean)).toHaveLength(1);
    const lists = await Promise.all(issuers.map((issuer) => issuer.listSigningKeys()));
    expect(lists.map((keys) => keys.length)).toEqual([1, 1, 1]);
    expect(lists[1]).toEqual(lists[0]);
  });

  it('two that start on an empty database with different encryption keys: the second is refused immediately', async () => {
    await stores.open({ encryptionKey: ENCRYPTION_KEY });
    await expect(stores.open({ encryptionKey: ANOTHER_KEY })).rejects.toMatchObject(REFUSED);
    const second = await makeStores(engine);
    const both = [ENCRYPTION_KEY, ANOTHER_KEY].map((encryptionKey) => second.open({ encryptionKey }));
    const ends = await Promise.allSettled(both);
    await second.close();
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('are encrypted with another key while instances with the old one run', async () => {
    const old = await stores.open({ encryptionKey: ENCRYPTION_KEY });
    const key = signingKey('one');
    await old.addSigningKey(key, undefined);
    const both = await stores.open({ encryptionKey: [ANOTHER_KEY, ENCRYPTION_KEY] });
    expect(await both.listSigningKeys()).toEqual([key]);
    expect(await both.reencryptSigningKeys('somebody')).toBe(1);
    const fresh = await stores.open({ encryptionKey: ANOTHER_KEY });
    expect(await fresh.listSigningKeys()).toEqual([key]);
    await expect(stores.open({ encryptionKey: ENCRYPTION_KEY })).rejects.toMatchObject(REFUSED);
    await expect(old.listSigningKeys()).rejects.toMatchObject(REFUSED);
  });

  describe('at rest', () => {
    const sql = (...statements: string[]) => onDatabase(stores.url, ...statements);

    beforeEach(async () => {
      const store = await stores.open({ encryptionKey: ENCRYPTION_KEY });
      await store.addSigningKey(signingKey('one'), undefined);
      await store.addSigningKey(signingKey('two'), 'one');
    });

    it('are JWE: no part of the private key is in a column', async () => {
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

    it('are decrypted with their key as text too', async () => {
      const store = await stores.open({ encryptionKey: ENCRYPTION_KEY.toString('base64url') });
      expect(await store.listSigningKeys()).toHaveLength(2);
    });

    it('stop an issuer with another encryptionKey from opening the store', async () => {
      await expect(stores.open({ encryptionKey: ANOTHER_KEY })).rejects.toMatchObject(REFUSED);
    });

    it('cannot be read or added without an encryptionKey; everything else works', async () => {
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
    ])('are not decrypted from %s', async (_what, tampering) => {
      await sql(tampering);
      await expect(stores.open({ encryptionKey: ENCRYPTION_KEY })).rejects.toMatchObject(REFUSED);
    });

    it('are not decrypted if two were swapped', async () => {
      const [one, two] = await sql('select jwe from signing_keys order by number');
      await sql(
        `update signing_keys set jwe = '${two?.jwe}' where kid = 'one'`,
        `update signing_keys set jwe = '${one?.jwe}' where kid = 'two'`,
      );
      await expect(stores.open({ encryptionKey: ENCRYPTION_KEY })).rejects.toMatchObject(REFUSED);
    });
  });
});
