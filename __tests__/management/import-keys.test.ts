import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ImportedKey } from 'keyward/management';
import { digestOf } from '../../lib/credentials/digest.js';
import { hostile, managed, OPERATOR, refusalOf, refusing } from '../support/managed.js';
import { recordOf } from '../support/managed-text.js';
import { START } from '../support/manual-clock.js';
import { engines } from '../support/test-stores.js';

/** A key that was minted elsewhere, and what an import says of it. */
function oldKey(traits: Partial<ImportedKey> = {}): { readonly text: string; readonly given: ImportedKey } {
  const text = `sk_${randomBytes(16).toString('hex')}`;
  return { text, given: { digest: digestOf(text), kind: 'secret', apis: ['payments'], ...traits } };
}

const { text: KEY, given: GIVEN } = oldKey();

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  it('imports keys that stay valid for their holders', async () => {
    const holder = await at.account();
    const past = new Date(START - 10 ** 9);
    const { text, given } = oldKey({ id: 'old-17', hint: '…abcd', name: 'Till', createdAt: past, channels: ['pc_1'] });
    const { text: other, given: bare } = oldKey({ kind: 'public' });
    const report = await at.management.keys.import(OPERATOR, holder.id, [given, bare]);
    expect(report).toEqual({ imported: 2, known: 0, refused: [] });
    const { items } = await at.management.keys.list(holder.owner);
    expect(items).toHaveLength(2);
    expect(items.find(({ id }) => id === 'old-17')).toMatchObject({
      ...{ kind: 'secret', environment: 'live', apis: ['payments'], name: 'Till', channels: ['pc_1'], state: 'active' },
      ...{ createdAt: past, createdBy: OPERATOR, hint: '…abcd', publicKey: null, version: 1 },
    });
    for (const presented of [text, other]) {
      const record = await recordOf(at, presented);
      expect(record).toMatchObject({ account: holder.id, apis: ['payments'], disabled: false });
    }
    expect((await holder.story()).map(({ id, at: time, ...entry }) => entry)).toEqual([
      {
        ...{ account: holder.id, actor: OPERATOR, role: 'operator', action: 'key.import', outcome: 'done' },
        ...{ subject: null, before: null, after: { imported: 2 }, origin: null },
      },
    ]);
  });

  it('keys with their old ids can be edited, rotated and revoked, and are in the audit log', async () => {
    const holder = await at.account();
    await at.management.keys.import(OPERATOR, holder.id, [oldKey({ id: `old_${holder.id}` }).given]);
    const id = `old_${holder.id}`;
    await at.management.keys.edit(holder.owner, id, { version: 1, name: 'Till' });
    await refusalOf(at.management.keys.edit(holder.owner, id, { version: 1, name: 'Shop' }));
    await at.management.keys.rotate(holder.owner, id);
    await at.management.keys.revoke(holder.owner, id);
    await refusalOf(at.management.keys.revoke(holder.owner, id));
    const entries = (await holder.story()).filter(({ action }) => action !== 'key.import');
    expect(entries.map(({ subject }) => subject)).toEqual([id, id, id, id, id]);
  });

  it('skips keys that were imported before: a batch can be sent again', async () => {
    const holder = await at.account();
    const batch = [oldKey().given, oldKey({ id: `${holder.id}_a` }).given];
    await at.management.keys.import(OPERATOR, holder.id, batch);
    const more = oldKey().given;
    const again = await at.management.keys.import(OPERATOR, holder.id, [...batch, more]);
    expect(again).toEqual({ imported: 1, known: 2, refused: [] });
    expect((await at.management.keys.list(holder.owner)).items).toHaveLength(3);
    await at.management.keys.import(OPERATOR, holder.id, batch);
    expect((await holder.story()).map(({ after }) => after)).toEqual([{ imported: 2 }, { imported: 1 }]);
  });

  it('an imported key that was rotated many times is not imported again', async () => {
    const holder = await at.account();
    const { text, given } = oldKey({ id: 'rotated' });
    await at.management.keys.import(OPERATOR, holder.id, [given]);
    for (let rotation = 0; rotation < 6; rotation += 1) await at.management.keys.rotate(holder.owner, 'rotated');
    const { id: _, ...withoutId } = given;
    const report = await at.management.keys.import(OPERATOR, holder.id, [withoutId]);
    expect(report).toEqual({ imported: 0, known: 1, refused: [] });
    expect(await recordOf(at, text)).toBeUndefined();
  });

  it('an expired key stays expired', async () => {
    const holder = await at.account();
    const expiresAt = new Date(START - 1_000);
    await at.management.keys.import(OPERATOR, holder.id, [oldKey({ expiresAt }).given]);
    expect((await at.management.keys.list(holder.owner)).items).toMatchObject([{ state: 'expired', expiresAt }]);
  });

  it.each<[string, unknown, string]>([
    [
      'no digest',
      { kind: 'secret', apis: ['payments'] },
      'digest: expected the SHA-256 digest of the key in lowercase hex',
    ],
    ['a digest in capitals', oldKey({ digest: 'A'.repeat(64) }).given, 'digest: expected the SHA-256'],
    ['a key for a digest', oldKey({ digest: 'sk_wlj3nsyprj5ipdr2b4nkxzepnmg' }).given, 'digest: expected the SHA-256'],
    ['an access key', oldKey({ kind: hostile('access') }).given, 'kind: expected secret or public'],
    [
      'an API that the account lacks',
      oldKey({ apis: ['reports'] }).given,
      'apis: the account is not entitled to "reports"',
    ],
    ['a platform without a channel', oldKey({ platform: 'shop' }).given, 'channels: a key for an e-commerce platform'],
    ['a hint with spaces', oldKey({ hint: 'a b' }).given, 'hint: expected 1 to 32 visible characters'],
    ['an invisible hint', oldKey({ hint: '\u115f' }).given, 'hint: expected 1 to 32 visible characters'],
    ['a hint of 33 characters', oldKey({ hint: 'x'.repeat(33) }).given, 'hint: expected 1 to 32 visible characters'],
    ['an id that is none', oldKey({ id: 'a b' }).given, 'id: expected a string of 1 to 64'],
    ['an id of 65 characters', oldKey({ id: 'x'.repeat(65) }).given, 'id: expected a string of 1 to 64'],
    ...['new', 'New', 'all', 'prototype', 'constructor', 'a.b', '_a', '-a'].map((id): [string, unknown, string] => [
      `the id ${id}`,
      oldKey({ id }).given,
      'id: expected a string of 1 to 64',
    ]),
    [
      'a public key for all APIs',
      oldKey({ kind: 'public', apis: 'all' }).given,
      'apis: a public API key must list its',
    ],
    ['a confirmation', { ...oldKey().given, requireConfirmation: 'dpop' }, 'requireConfirmation: unknown field'],
    ['no date', oldKey({ createdAt: new Date(Number.NaN) }).given, 'createdAt: expected a Date'],
    [
      'a creation in the future',
      oldKey({ createdAt: new Date(START + 365 * 86_400_000) }).given,
      'createdAt: the time is in the future',
    ],
    ['no date of expiry', oldKey({ expiresAt: hostile('soon') }).given, 'expiresAt: expected a Date'],
    ['an unknown field', { ...oldKey().given, key: 'sk_x' }, 'key: unknown field'],
    ['the key for its hint', { ...GIVEN, hint: KEY }, 'hint: expected 1 to 32 visible characters'],
    [
      'the key for its id',
      { ...GIVEN, id: KEY },
      'id: this value is the key itself, which must not be stored; change the value or omit it',
    ],
    [
      'the key for its name',
      { ...GIVEN, name: KEY },
      'name: this value is the key itself, which must not be stored; change the value or omit it',
    ],
  ])('refuses %s, together with the whole batch', async (_what, wrong, message) => {
    const holder = await at.account();
    const batch = [oldKey().given, hostile<ImportedKey>(wrong), oldKey().given];
    const report = await at.management.keys.import(OPERATOR, holder.id, batch);
    expect(report).toEqual({
      imported: 0,
      known: 0,
      refused: [{ index: 1, message: expect.stringContaining(message) }],
    });
    expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
    expect(await holder.story()).toEqual([]);
  });

  it('accepts a creation up to five minutes ahead, because clocks differ', async () => {
    const holder = await at.account();
    const latest = at.clock.now() + 300_000;
    const batchOf = (time: number) => [oldKey({ createdAt: new Date(time) }).given];
    const imported = (time: number) => at.management.keys.import(OPERATOR, holder.id, batchOf(time));
    expect(await imported(latest)).toMatchObject({ imported: 1 });
    expect(await imported(latest + 1)).toMatchObject({ imported: 0, refused: [{ index: 0 }] });
  });

  it('refuses a hint that is the key', async () => {
    const holder = await at.account();
    const digest = digestOf('sk_short');
    const batch = [oldKey({ digest, hint: 'sk_short' }).given];
    const { refused } = await at.management.keys.import(OPERATOR, holder.id, batch);
    expect(refused).toEqual([
      {
        index: 0,
        message: 'hint: this value is the key itself, which must not be stored; change the value or omit it',
      },
    ]);
  });

  it.each<[string, (text: string) => Partial<ImportedKey>]>([
    ['name', (text) => ({ name: text })],
    ['metadata', (text) => ({ metadata: { note: text } })],
  ])('refuses a key in its own %s', async (field, traits) => {
    const holder = await at.account();
    const text = 'sk_short';
    const { refused } = await at.management.keys.import(OPERATOR, holder.id, [
      oldKey({ digest: digestOf(text), ...traits(text) }).given,
    ]);
    expect(refused).toEqual([
      { index: 0, message: expect.stringMatching(new RegExp(`^${field}: this value is the key itself`)) },
    ]);
  });

  it('refuses a duplicate digest or id in a batch', async () => {
    const holder = await at.account();
    const [one, other] = [oldKey({ id: `${holder.id}_a` }).given, oldKey({ id: `${holder.id}_a` }).given];
    const batch = [one, { ...one, id: `${holder.id}_b` }, other];
    expect(await at.management.keys.import(OPERATOR, holder.id, batch)).toEqual({
      ...{ imported: 0, known: 0 },
      refused: [
        { index: 1, message: 'digest: another key in this batch has the same digest' },
        { index: 2, message: 'id: another key in this batch has the same ID' },
      ],
    });
  });

  it('refuses the id of another key, of this account or of another one', async () => {
    const [holder, other] = [await at.account(), await at.account()];
    const first = oldKey({ id: `${holder.id}_a` }).given;
    await at.management.keys.import(OPERATOR, holder.id, [first]);
    for (const { id } of [holder, other]) {
      const batch = [oldKey().given, oldKey({ id: `${holder.id}_a` }).given];
      expect(await at.management.keys.import(OPERATOR, id, batch)).toEqual({
        ...{ imported: 0, known: 0 },
        refused: [{ index: 1, message: 'id: another key already has this ID' }],
      });
    }
    expect((await at.management.keys.list(holder.owner)).items).toHaveLength(1);
    expect((await at.management.keys.list(other.owner)).items).toEqual([]);
  });

  it('accepts at most 1,000 keys in a batch', async () => {
    const holder = await at.account();
    const batch = Array.from({ length: 1_000 }, () => oldKey().given);
    expect(await at.management.keys.import(OPERATOR, holder.id, batch)).toMatchObject({ imported: 1_000 });
    const doing = at.management.keys.import(OPERATOR, holder.id, [...batch, oldKey().given]);
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'keys'));
    const none = at.management.keys.import(OPERATOR, holder.id, hostile<ImportedKey[]>('all'));
    expect(await refusalOf(none)).toEqual(refusing(400, 'invalid', 'keys'));
  });

  it('accepts an id of 64 characters and a hint of 32', async () => {
    const holder = await at.account();
    const [id, hint] = [`${holder.id}_`.padEnd(64, 'x'), 'x'.repeat(32)];
    await at.management.keys.import(OPERATOR, holder.id, [oldKey({ id, hint }).given]);
    expect(await at.management.keys.view(holder.owner, id)).toMatchObject({ id, hint });
  });

  it('has the given time of creation, also for its secret, and the start of the digest as hint', async () => {
    const holder = await at.account();
    const createdAt = new Date(START - 10 ** 9);
    const { given } = oldKey({ createdAt });
    await at.management.keys.import(OPERATOR, holder.id, [given, oldKey().given]);
    const { items } = await at.management.keys.list(holder.owner, { sort: 'created' });
    const hint = `…${given.digest.slice(0, 4)}`;
    expect(items).toMatchObject([
      { createdAt, hint, secrets: [{ createdAt, hint, state: 'current', lastUsedAt: null }] },
      { createdAt: new Date(at.clock.now()), secrets: [{ createdAt: new Date(at.clock.now()) }] },
    ]);
  });

  it('imported keys are sorted by name among others, those without a name by id', async () => {
    const holder = await at.account();
    await holder.key({ name: 'b' });
    const [first, second, last] = ['1', '2', 'z'].map((start) => `${start}_${holder.id}`);
    const batch = [oldKey({ id: first, name: 'c' }), oldKey({ id: second, name: 'A' }), oldKey({ id: last })];
    await at.management.keys.import(
      OPERATOR,
      holder.id,
      batch.map(({ given }) => given),
    );
    const { items } = await at.management.keys.list(holder.owner, { sort: 'name' });
    expect(items.map(({ id, name }) => name ?? id)).toEqual(['A', 'b', 'c', last]);
  });

  it('stores metadata, addresses and limits', async () => {
    const holder = await at.account();
    const data = {
      ...{ metadata: { plan: 'gold' }, allowedAddresses: ['203.0.113.0/24'], platform: 'shop', channels: ['pc_1'] },
      ...{ limits: [{ requests: 10, seconds: 60 }], environment: 'sandbox' as const, scopes: ['payments:refund'] },
    };
    await at.management.keys.import(OPERATOR, holder.id, [oldKey(data).given]);
    expect((await at.management.keys.list(holder.owner)).items).toMatchObject([data]);
  });

  it('refuses a digest of another account, and that of an access key', async () => {
    const [holder, other] = [await at.account(), await at.account()];
    const foreign = oldKey().given;
    await at.management.keys.import(OPERATOR, other.id, [foreign]);
    const { text } = await holder.accessKey();
    const batch = [oldKey().given, foreign, oldKey({ digest: digestOf(text) }).given];
    expect(await at.management.keys.import(OPERATOR, holder.id, batch)).toEqual({
      ...{ imported: 0, known: 0 },
      refused: [
        { index: 1, message: 'digest: this digest already belongs to a key of another account' },
        { index: 2, message: 'digest: this digest already belongs to an access key' },
      ],
    });
    expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
  });

  it('two concurrent imports import each key once', async () => {
    const holder = await at.account();
    const batch = Array.from({ length: 10 }, () => oldKey().given);
    const reports = await Promise.all([1, 2].map(() => at.management.keys.import(OPERATOR, holder.id, batch)));
    expect(reports.map(({ imported, known }) => imported + known)).toEqual([10, 10]);
    expect((await at.management.keys.list(holder.owner)).items).toHaveLength(10);
  });

  it('refuses an unknown account, and a missing operator', async () => {
    const holder = await at.account();
    const batch = [oldKey().given];
    expect(await refusalOf(at.management.keys.import(OPERATOR, 'acc_none', batch))).toEqual(refusing(404, 'not_found'));
    for (const operator of ['', 'o'.repeat(257)])
      expect(await refusalOf(at.management.keys.import(operator, holder.id, batch))).toEqual(
        refusing(400, 'invalid', 'operator'),
      );
  });
});
