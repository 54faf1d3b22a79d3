import { describe, expect, it } from '@jest/globals';
import type { ImportedKey } from 'keyward/management';
import { type CredentialStore, StoreError } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { importKeysOf } from '../../lib/management/keys/import-keys.js';
import type { Repository } from '../../lib/store/repository/repository.js';
import { hostile, managed, OPERATOR, refusalOf } from '../support/managed.js';
import { listenTo } from '../support/store-listener.js';
import { engines } from '../support/test-stores.js';

const UNAVAILABLE = {
  ...{ status: 503, code: 'unavailable', field: undefined },
  message: 'the service is temporarily unavailable; try again',
};
const refusedAs = (...refused: readonly [index: number, message: string][]) => ({
  ...{ imported: 0, known: 0 },
  refused: refused.map(([index, message]) => ({ index, message })),
});

describe.each(engines)('an import, on %s', (engine) => {
  const at = managed(engine);
  let made = 0;

  function oldKey(traits: object = {}): ImportedKey {
    made += 1;
    return hostile({ digest: digestOf(`sk_${made}`), kind: 'secret', apis: ['payments'], ...traits });
  }

  /** Imports with a store whose transactions are carried out by `transact`. */
  function importWith(transact: (repository: Repository, ...given: Parameters<Repository['transact']>) => unknown) {
    const { repository } = at.store;
    const changed = {
      key: (id: string) => repository.key(id),
      transact: (...given: Parameters<Repository['transact']>) => transact(repository, ...given),
    };
    return importKeysOf(hostile<CredentialStore>({ repository: changed }), at.clock);
  }

  it.each([
    ['a list with a digest', { digest: [digestOf('sk_a')] }, 'digest'],
    ['a digest after other characters', { digest: `x${digestOf('sk_a')}` }, 'digest'],
    ['a digest before other characters', { digest: `${digestOf('sk_a')}0` }, 'digest'],
    ['a number as the hint', { hint: 1234 }, 'hint'],
    ['a list as the hint', { hint: ['abcd'] }, 'hint'],
  ])('refuses %s', async (_what, traits, field) => {
    const holder = await at.account();
    const message = {
      digest: 'digest: expected the SHA-256 digest of the key in lowercase hex',
      hint: 'hint: expected 1 to 32 visible characters without spaces',
    }[field];
    const report = await at.management.keys.import(OPERATOR, holder.id, [oldKey(traits)]);
    expect(report).toEqual(refusedAs([0, String(message)]));
  });

  it('says what it expects of the list and of the account', async () => {
    const holder = await at.account();
    const { import: importKeys } = at.management.keys;
    const batch = Array.from({ length: 1_001 }, () => oldKey());
    expect(await refusalOf(importKeys(OPERATOR, holder.id, batch))).toMatchObject({
      message: 'keys: expected a list of at most 1000 keys',
    });
    expect(await refusalOf(importKeys(OPERATOR, 'a b', [oldKey()]))).toMatchObject({ status: 400, field: 'account' });
  });

  it('is reported to those who watch the store, as a change of the account', async () => {
    const holder = await at.account();
    const { changes, stop } = listenTo(at.store);
    await at.management.keys.import(OPERATOR, holder.id, [oldKey()]);
    stop();
    expect(changes).toContainEqual({ account: holder.id });
  });

  it('refuses only the ID of another key, not a key of the batch that was imported before', async () => {
    const holder = await at.account();
    const { keys } = at.management;
    const idOf = (name: string) => ({ id: `${holder.id}_${name}` });
    const [known, rotated, taken] = [oldKey(idOf('known')), oldKey(idOf('rotated')), oldKey(idOf('taken'))];
    await keys.import(OPERATOR, holder.id, [known, rotated, taken]);
    await keys.rotate(holder.owner, String(rotated.id));
    const report = await keys.import(OPERATOR, holder.id, [known, rotated, oldKey({ id: taken.id })]);
    expect(report).toEqual(refusedAs([2, 'id: another key already has this ID']));
  });

  it('fails if the database reports a conflict that no ID of the batch explains', async () => {
    const holder = await at.account();
    const conflict = new StoreError('store_conflict', 'the write conflicts with another transaction');
    const importKeys = importWith(() => Promise.reject(conflict));
    expect(await refusalOf(importKeys(OPERATOR, holder.id, [oldKey()]))).toEqual(UNAVAILABLE);
  });

  it('fails if the database fails, also if another key has an ID of the batch', async () => {
    const holder = await at.account();
    const id = `${holder.id}_a`;
    await at.management.keys.import(OPERATOR, holder.id, [oldKey({ id })]);
    for (const failure of [new StoreError('store_unavailable', 'the connection was lost'), new RangeError('a fault')]) {
      const importKeys = importWith((repository, work) =>
        repository.transact(work).catch(() => {
          throw failure;
        }),
      );
      const error = await importKeys(OPERATOR, holder.id, [oldKey({ id })]).catch((thrown: unknown) => thrown);
      if (failure instanceof StoreError) expect(error).toMatchObject({ ...UNAVAILABLE, cause: failure });
      else expect(error).toBe(failure);
    }
  });

  it('fails with the error that a getter of a key throws', async () => {
    const holder = await at.account();
    const fault = new RangeError('a fault');
    const given = Object.defineProperty(oldKey(), 'name', {
      enumerable: true,
      get() {
        throw fault;
      },
    });
    await expect(at.management.keys.import(OPERATOR, holder.id, [given])).rejects.toBe(fault);
    expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
  });
});
