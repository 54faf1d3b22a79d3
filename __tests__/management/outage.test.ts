import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManagement, type Management, ManagementError, type Member } from 'keyward/management';
import { type CredentialStore, openStore, StoreError } from 'keyward/store';
import { managed, OPERATOR, refusalOf } from '../support/managed.js';
import { onDatabase } from '../support/store-database.js';
import { sharedEngines } from '../support/test-stores.js';

const UNAVAILABLE = {
  status: 503,
  code: 'unavailable',
  message: 'the service is temporarily unavailable; try again',
  field: undefined,
};
const OWNER: Member = { id: 'owner', account: 'acme', permissions: ['owner'] };
const ID = `key_${'a'.repeat(26)}`;

const CALLS: Readonly<Record<string, (management: Management, member: Member) => Promise<unknown>>> = {
  'keys.list': ({ keys }, member) => keys.list(member),
  'keys.view': ({ keys }, member) => keys.view(member, ID),
  'keys.create': ({ keys }, member) => keys.create(member, { kind: 'secret', apis: 'all' }, 'once'),
  'keys.edit': ({ keys }, member) => keys.edit(member, ID, { version: 1 }),
  'keys.rotate': ({ keys }, member) => keys.rotate(member, ID),
  'keys.endGrace': ({ keys }, member) => keys.endGrace(member, ID),
  'keys.revoke': ({ keys }, member) => keys.revoke(member, ID),
  'keys.import': ({ keys }) => keys.import(OPERATOR, 'acme', []),
  'accessKeys.list': ({ accessKeys }, member) => accessKeys.list(member),
  'accessKeys.view': ({ accessKeys }, member) => accessKeys.view(member, ID),
  'accessKeys.create': ({ accessKeys }, member) => accessKeys.create(member, { scopes: ['payments'] }),
  'accessKeys.edit': ({ accessKeys }, member) => accessKeys.edit(member, ID, { version: 1 }),
  'accessKeys.addSecret': ({ accessKeys }, member) => accessKeys.addSecret(member, ID),
  'accessKeys.deleteSecret': ({ accessKeys }, member) => accessKeys.deleteSecret(member, ID, 'f'.repeat(16)),
  'accounts.put': ({ accounts }) => accounts.put(OPERATOR, 'acme', {}),
  'accounts.view': ({ accounts }) => accounts.view('acme'),
  'accounts.list': ({ accounts }) => accounts.list(),
  'accounts.setDisabled': ({ accounts }) => accounts.setDisabled(OPERATOR, 'acme', true),
  audit: ({ audit }, member) => audit(member),
};

describe('a store that cannot be reached', () => {
  let store: CredentialStore;
  let management: Management;

  beforeAll(async () => {
    // Nobody listens on port 1.
    store = await openStore('postgres://postgres:pa55word@127.0.0.1:1/keyward');
    management = createManagement({ store });
  });

  afterAll(() => store.close());

  it.each(Object.entries(CALLS))('%s: unavailable', async (_name, call) => {
    expect(await refusalOf(call(management, OWNER))).toEqual(UNAVAILABLE);
  });

  it('a refusal that cannot be audited is unavailable too', async () => {
    const member: Member = { ...OWNER, permissions: ['developer'] };
    expect(await refusalOf(management.keys.revoke(member, ID))).toEqual(UNAVAILABLE);
  });

  it('validation errors are still reported', async () => {
    const nobody = { id: '', account: '', permissions: [] };
    expect(await refusalOf(management.keys.list(nobody))).toMatchObject({ status: 401 });
    expect(await refusalOf(management.keys.list(OWNER, { limit: 0 }))).toMatchObject({ status: 400 });
    expect(await refusalOf(management.accounts.put(OPERATOR, 'a b', {}))).toMatchObject({ status: 400 });
  });

  it('the operator can find the cause, without a password', async () => {
    const error = await management.accounts.list().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ManagementError);
    const { cause } = error as ManagementError;
    expect(cause).toBeInstanceOf(StoreError);
    expect(cause).toMatchObject({ code: 'store_unavailable', driverCode: 'ECONNREFUSED' });
    expect(String((cause as StoreError).stack)).not.toContain('pa55word');
  });
});

describe.each(sharedEngines)('on %s, a missing table', (engine) => {
  const at = managed(engine);

  it.each(['keys', 'accounts', 'audit'])('%s: unavailable, and nothing is partly done', async (table) => {
    const holder = await at.account();
    const { key } = await holder.key();
    const before = await holder.story();
    await onDatabase(at.url, `alter table ${table} rename to gone`);
    const { keys, accounts } = at.management;
    for (const call of [
      () => keys.create(holder.owner, { kind: 'secret', apis: ['payments'] }),
      () => keys.edit(holder.owner, key.id, { version: 1, apis: ['disputes'] }),
      () => accounts.put(OPERATOR, holder.id, { apis: [] }),
    ]) {
      if (table === 'keys' && call.toString().includes('accounts')) continue;
      expect(await refusalOf(call())).toEqual(UNAVAILABLE);
    }
    await onDatabase(at.url, `alter table gone rename to ${table}`);
    expect(await keys.view(holder.owner, key.id)).toEqual(key);
    expect(await holder.story()).toEqual(before);
  });
});

describe('createManagement', () => {
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'expected an options object'],
    ['no store', {}, 'option "store" must be an object with resolveKey() and ready()'],
    ['something else for a store', { store: { resolveKey: () => null } }, 'option "store"'],
    ['an unknown option', { store: {}, stor: {} }, 'unknown option "stor"'],
    ['a clock without hands', { store: { resolveKey() {}, ready() {} }, clock: {} }, 'option "clock"'],
  ])('refuses %s', (_what, options, message) => {
    const create = createManagement as (options: unknown) => Management;
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
  });

  it('returns frozen objects', async () => {
    const store = await openStore('memory:');
    const management = createManagement({ store });
    for (const part of [management, management.keys, management.accessKeys, management.accounts]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    await store.close();
  });

  it('uses the clock of the machine by default', async () => {
    const store = await openStore('memory:');
    const { accounts } = createManagement({ store });
    const before = Date.now();
    const { createdAt } = await accounts.put(OPERATOR, 'acme', {});
    expect(createdAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(createdAt.getTime()).toBeLessThanOrEqual(Date.now());
    await store.close();
  });
});
