import { afterEach, expect, it } from '@jest/globals';
import type { Member } from 'keyward/management';
import { type CredentialStore, openStore } from 'keyward/store';
import { signInAudit } from '../../../lib/dashboard/sign-in/sign-in-audit.js';
import { createManualClock } from '../../support/manual-clock.js';

let store: CredentialStore;
afterEach(() => store.close());

it('every entry has the address in its shortest form, also that of a refused link', async () => {
  store = await openStore('memory:');
  const member: Member = { id: 'kim', account: 'acme', permissions: ['developer'] };
  const audit = signInAudit(store, new Map([['kim', member]]), createManualClock());
  await audit.signedIn(member, '::ffff:203.0.113.7');
  await audit.signedOut(member, '::ffff:203.0.113.7');
  await audit.refused(member, '::ffff:203.0.113.7');
  const entries = await store.repository.audit({ account: 'acme', limit: 10 });
  expect(entries.map(({ actor, action, origin }) => [actor, action, origin]).sort()).toEqual([
    ['kim', 'sign_in', '203.0.113.7'],
    ['kim', 'sign_out', '203.0.113.7'],
    ['unknown', 'sign_in', '203.0.113.7'],
  ]);
});

it.each([
  ['of one account has the address', ['acme'], '203.0.113.7'],
  ['of several accounts has no address', ['acme', 'globex'], null],
])('the entry for an unknown link %s', async (_what, accounts, origin) => {
  store = await openStore('memory:');
  const members = accounts.map((account): [string, Member] => [account, { id: account, account, permissions: [] }]);
  await signInAudit(store, new Map(members), createManualClock()).refused(undefined, '203.0.113.7');
  for (const account of accounts)
    expect(await store.repository.audit({ account, limit: 10 })).toMatchObject([{ actor: 'unknown', origin }]);
});

it('an address is cut to 64 characters', async () => {
  store = await openStore('memory:');
  const member: Member = { id: 'kim', account: 'acme', permissions: [] };
  await signInAudit(store, new Map([['kim', member]]), createManualClock()).refused(member, '"'.repeat(14_000));
  expect(await store.repository.audit({ account: 'acme', limit: 10 })).toMatchObject([{ origin: '"'.repeat(64) }]);
});

it('an address or a member that is not known is null', async () => {
  store = await openStore('memory:');
  const members = new Map<string, Member>([
    ['kim', { id: 'kim', account: 'acme', permissions: ['developer', 'owner'] }],
  ]);
  const audit = signInAudit(store, members, createManualClock());
  await audit.signedOut({ id: 'kim', account: 'acme' }, undefined);
  await audit.signedOut({ id: 'removed', account: 'acme' }, '203.0.113.7');
  const entries = await store.repository.audit({ account: 'acme', limit: 10 });
  expect(entries.map(({ actor, role, origin }) => [actor, role, origin]).sort()).toEqual([
    ['kim', 'owner', null],
    ['removed', null, '203.0.113.7'],
  ]);
});
