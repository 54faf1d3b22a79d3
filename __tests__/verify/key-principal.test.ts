import { expect, it } from '@jest/globals';
import { scopePrefixes } from '../../lib/credentials/api-map.js';
import { readKeyRecord } from '../../lib/credentials/record.js';
import { keyPrincipalOf } from '../../lib/verify/key-principal.js';
import { RepeatedFacts } from '../../lib/verify/repeated-facts.js';

const RECORD = { kind: 'secret', account: 'acc_1', environment: 'live' };

it('keys that reach the same share the lists of it, and those that reach everything have none', () => {
  const lists = new RepeatedFacts<readonly string[]>();
  const of = (id: string, more: object) =>
    keyPrincipalOf(readKeyRecord({ ...RECORD, id, ...more }), scopePrefixes, lists);
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
