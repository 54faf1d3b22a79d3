import { expect, it } from '@jest/globals';
import { keyPrincipalOf, principalInterners } from '../../lib/api-keys/key-principal.js';
import { apiMap, scopePrefixes } from '../../lib/credentials/api-map.js';
import { readKeyRecord } from '../../lib/credentials/records/key-records.js';

const RECORD = { kind: 'secret', account: 'acc_1', environment: 'live' };

it('keys with the same entitlement share its lists, and keys with all APIs have no list', () => {
  const shared = principalInterners();
  const of = (id: string, more: object) =>
    keyPrincipalOf(readKeyRecord({ ...RECORD, id, ...more }), scopePrefixes, shared);
  const listed = () => ({ apis: ['payments'], scopes: ['payments:refund'], channels: ['web'] });
  const [one, other] = [of('k1', listed()), of('k2', listed())];
  for (const member of ['apis', 'scopes', 'channels'] as const) {
    expect(one[member]).toEqual(listed()[member]);
    expect(other[member]).toBe(one[member]);
    expect(Object.isFrozen(one[member])).toBe(true);
  }
  const { apis, scopes, channels } = of('k3', { apis: 'all' });
  expect([apis, scopes, channels]).toEqual(['all', 'all', 'all']);
});

it.each([
  ['the grace period', { expiresAt: new Date(9_000), acceptedUntil: new Date(5_000) }, 5],
  ['the key', { expiresAt: new Date(5_000), acceptedUntil: new Date(9_000) }, 5],
  ['a planned revocation', { revokedAt: new Date(5_000), acceptedUntil: new Date(9_000) }, 5],
  ['none: it was not rotated', { expiresAt: new Date(5_000) }, undefined],
])('N37 the old secret of a rotated key is accepted until the earlier end: of %s', (_what, ends, seconds) => {
  const record = readKeyRecord({ ...RECORD, id: 'k1', apis: 'all', ...ends });
  const principal = keyPrincipalOf(record, scopePrefixes, principalInterners());
  expect(principal).toMatchObject({ expiresAt: 5, keyAcceptedUntil: seconds });
});

const OPTIONAL = {
  metadata: { team: 'billing' },
  allowedAddresses: ['203.0.113.7'],
  limits: [{ requests: 10, seconds: 60 }],
};

it('a principal has the optional fields that its record has, and no others', () => {
  const shared = principalInterners();
  const of = (more: object) =>
    keyPrincipalOf(readKeyRecord({ ...RECORD, id: 'k1', apis: 'all', ...more }), scopePrefixes, shared);
  const bare = of({});
  expect(of(OPTIONAL)).toEqual({ ...bare, ...OPTIONAL });
  for (const name of [...Object.keys(OPTIONAL), 'listedScopes', 'apiMap']) expect(bare).not.toHaveProperty(name);
  expect(of(OPTIONAL).allowedAddresses).toBe(of(OPTIONAL).allowedAddresses);
});

const hierarchy = apiMap(
  { files: ['files:read', 'files:write'], billing: ['billing:all', 'billing:read'] },
  { implies: { 'files:write': ['files:read', 'billing:read'], 'billing:all': ['files:read'] } },
);

it.each([
  ['implies another', 'all', ['files:write'], ['files:write', 'billing:read', 'files:read'], ['files:write']],
  [
    'implies a scope of an API that the key has not',
    ['files'],
    ['files:write'],
    ['files:write', 'files:read'],
    ['files:write'],
  ],
  ['is of an API that the key has not', ['files'], ['billing:all'], [], undefined],
  ['implies none', 'all', ['files:read'], ['files:read'], undefined],
])('a listed scope that %s', (_what, apis, listed, scopes, listedScopes) => {
  const record = readKeyRecord({ ...RECORD, id: 'k1', apis, scopes: listed });
  const principal = keyPrincipalOf(record, hierarchy, principalInterners());
  expect(principal.scopes).toEqual(scopes);
  expect(principal.listedScopes).toEqual(listedScopes);
  expect('listedScopes' in principal).toBe(listedScopes !== undefined);
  expect(principal).toHaveProperty('apiMap', hierarchy);
});
