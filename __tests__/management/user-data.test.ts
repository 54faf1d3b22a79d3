import { describe, expect, it } from '@jest/globals';
import { digestOf } from 'keyward';
import type { KeySettings } from 'keyward/management';
import { hostile, managed, OPERATOR, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

const DATA = {
  metadata: { plan: 'gold', region: 'eu' },
  allowedAddresses: ['203.0.113.0/24', '2001:db8::1'],
  limits: [{ requests: 100, seconds: 60 }],
} as const;
const presented = (text: string) => ({
  ...{ digest: digestOf(text), kind: 'secret' as const, environment: 'live' as const },
  reveal: () => text,
});

describe.each(engines)('metadata, addresses and limits in %s', (engine) => {
  const setup = managed(engine);

  it('is stored, shown, audited, and on the records of verifiers', async () => {
    const holder = await setup.account();
    const { key, text } = await holder.key(DATA);
    expect(key).toMatchObject(DATA);
    expect(await setup.management.keys.view(holder.developer, key.id)).toMatchObject(DATA);
    expect(await setup.store.resolveKey(presented(text))).toMatchObject(DATA);
    const made = await setup.management.accessKeys.create(holder.developer, { scopes: ['payments'], ...DATA });
    expect(made.key).toMatchObject(DATA);
    expect(await setup.store.resolveAccessKey(made.key.id)).toMatchObject(DATA);
    const [entry] = await holder.story();
    expect(entry?.after).toMatchObject(DATA);
  });

  it('is absent by default', async () => {
    const holder = await setup.account();
    const { key, text } = await holder.key();
    const none = { metadata: null, allowedAddresses: null, limits: null };
    expect(key).toMatchObject(none);
    expect(await setup.store.resolveKey(presented(text))).toMatchObject(none);
  });

  it('is edited field by field, and cleared by null', async () => {
    const { keys } = setup.management;
    const holder = await setup.account();
    const { key } = await holder.key(DATA);
    const edited = await keys.edit(holder.owner, key.id, { version: key.version, metadata: { plan: 'silver' } });
    expect(edited).toMatchObject({ ...DATA, metadata: { plan: 'silver' } });
    const cleared = await keys.edit(holder.owner, key.id, {
      ...{ version: edited.version, metadata: null, allowedAddresses: null, limits: null },
    });
    expect(cleared).toMatchObject({ metadata: null, allowedAddresses: null, limits: null });
    const empty = await keys.edit(holder.owner, key.id, { version: cleared.version, metadata: {} });
    expect([empty.metadata, empty.version]).toEqual([null, cleared.version]);
  });

  it.each<[string, unknown]>([
    ['metadata', { n: 1 }],
    ['metadata', { nul: 'a\0b' }],
    ['metadata', { 'a\0b': 'nul' }],
    ['metadata', { constructor: 'x' }],
    ['metadata', ['x']],
    ['metadata', Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`m${at}`, 'x']))],
    ['allowedAddresses', []],
    ['allowedAddresses', ['203.0.113.0/33']],
    ['allowedAddresses', 'all'],
    ['limits', []],
    ['limits', [{ requests: 0, seconds: 1 }]],
    ['limits', [{ requests: 1, seconds: 1, per: 'key' }]],
    ['limits', { requests: 1, seconds: 1 }],
  ])('a wrong %s is refused: %j', async (field, value) => {
    const holder = await setup.account();
    const settings = hostile<Partial<KeySettings>>({ [field]: value });
    expect(await refusalOf(holder.key(settings))).toEqual(refusing(400, 'invalid', field));
  });

  it('has up to 256 addresses', async () => {
    const holder = await setup.account();
    const allowedAddresses = Array.from({ length: 257 }, (_, last) => `2001:db8::${last.toString(16)}`);
    const { key } = await holder.key({ allowedAddresses: allowedAddresses.slice(1) });
    expect(key.allowedAddresses).toHaveLength(256);
    expect(await refusalOf(holder.key({ allowedAddresses }))).toEqual(refusing(400, 'invalid', 'allowedAddresses'));
  });

  it('is imported, but not if it is the key itself', async () => {
    const { id } = await setup.account();
    const digest = digestOf(`sk_${id}`);
    const row = { digest, id: `key_of_${id}`, kind: 'secret', apis: 'all', ...DATA } as const;
    const leaked = { ...row, metadata: { key: `sk_${id}` } };
    const [refused] = (await setup.management.keys.import(OPERATOR, id, [leaked])).refused;
    expect(refused?.message).toBe(
      'metadata: this value is the key itself, which must not be stored; change the value or omit it',
    );
    expect((await setup.management.keys.import(OPERATOR, id, [row])).imported).toBe(1);
    const member = { id: 'x', account: id, permissions: ['developer'] } as const;
    expect(await setup.management.keys.view(member, row.id)).toMatchObject(DATA);
  });
});
