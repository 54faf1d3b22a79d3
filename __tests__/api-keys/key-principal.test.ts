import { expect, it } from '@jest/globals';
import { keyPrincipalOf, principalInterners } from '../../lib/api-keys/key-principal.js';
import { scopePrefixes } from '../../lib/credentials/api-map.js';
import { readKeyRecord } from '../../lib/credentials/records/record.js';

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
