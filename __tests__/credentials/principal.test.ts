import { describe, expect, it } from '@jest/globals';
import { apiMap } from '../../lib/credentials/api-map.js';
import {
  type AccessPrincipal,
  freezePrincipal,
  holdsScope,
  type KeyPrincipal,
  listedScopesOf,
  reachesApi,
  reachesChannel,
} from '../../lib/credentials/principal.js';

const keyPrincipal = (facts: Partial<KeyPrincipal> = {}): KeyPrincipal => ({
  kind: 'secret',
  keyId: 'key_1',
  account: 'acc_1',
  environment: 'live',
  apis: ['payments', 'disputes'],
  scopes: 'all',
  channels: 'all',
  platform: undefined,
  expiresAt: undefined,
  keyAcceptedUntil: undefined,
  ...facts,
});

const accessPrincipal = (facts: Partial<AccessPrincipal> = {}): AccessPrincipal => ({
  kind: 'access',
  keyId: 'ack_1',
  clientId: 'ack_1',
  account: undefined,
  environment: undefined,
  apis: ['payments'],
  scopes: ['payments:refund'],
  channels: 'all',
  platform: undefined,
  expiresAt: 1,
  payload: {},
  header: {},
  ...facts,
});

describe('freezePrincipal', () => {
  it('returns the same object, frozen with its lists', () => {
    const principal = keyPrincipal({ scopes: ['payments'], channels: ['web'] });
    const frozen = freezePrincipal(principal);
    expect(frozen).toBe(principal);
    for (const part of [frozen, frozen.apis, frozen.scopes, frozen.channels]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('accepts "all" for any of the three', () => {
    expect(Object.isFrozen(freezePrincipal(keyPrincipal({ apis: 'all', scopes: 'all', channels: 'all' })))).toBe(true);
  });
});

describe('reachesApi', () => {
  it.each([
    ['all', 'payments', true],
    [['payments', 'disputes'], 'disputes', true],
    [['payments'], 'disputes', false],
    [['payments'], 'Payments', false],
    [['payments'], 'pay', false],
    [['payments'], 'payments:refund', false],
    [['*'], 'payments', false],
    [['all'], 'payments', false],
    [[], 'payments', false],
    [[], 'length', false],
  ] as const)('an API set %j reaches %s: %s', (apis, api, reached) => {
    expect(reachesApi(freezePrincipal(keyPrincipal({ apis })), api)).toBe(reached);
  });
});

describe('reachesChannel', () => {
  it.each([
    ['all', 'web', true],
    [['web', 'shop'], 'shop', true],
    [['web'], 'shop', false],
    [['web'], 'we', false],
    [['*'], 'web', false],
    [[], 'web', false],
  ] as const)('channels %j reach %s: %s', (channels, channel, reached) => {
    expect(reachesChannel(freezePrincipal(keyPrincipal({ channels })), channel)).toBe(reached);
  });
});

describe('holdsScope', () => {
  const map = apiMap({ payments: ['gateway', 'both'], disputes: ['cases', 'both'] });

  it.each([
    ['every scope of its APIs', { apis: ['payments'] }, 'payments', true],
    ['a scope within', { apis: ['payments'] }, 'payments:refund', true],
    ['a scope of another API', { apis: ['payments'] }, 'disputes', false],
    ['a scope of an API with a longer name', { apis: ['payments'] }, 'paymentsx:refund', false],
    ['a scope of no API that it has', { apis: [] }, 'payments', false],
    ['any scope, where it has all APIs', { apis: 'all' }, 'anything:at-all', true],
    ['a scope that it lists', { scopes: ['payments:refund'] }, 'payments:refund', true],
    ['a wider scope than it lists', { scopes: ['payments:refund'] }, 'payments', false],
    ['a narrower scope than it lists', { scopes: ['payments'] }, 'payments:refund', false],
    ['a scope of its APIs that it does not list', { apis: 'all', scopes: [] }, 'payments', false],
    ['a scope by a wildcard', { apis: 'all', scopes: ['*'] }, 'payments', false],
    ['a scope by an inherited name', { apis: ['payments'], scopes: [] }, 'toString', false],
  ] as const)('without an API map, %s (%j, %s): %s', (_name, facts, scope, held) => {
    expect(holdsScope(freezePrincipal(keyPrincipal(facts)), scope)).toBe(held);
  });

  it.each([
    ['a scope mapped to its API', { apis: ['payments'] }, 'gateway', true],
    ['a scope mapped to another', { apis: ['payments'] }, 'cases', false],
    ['a scope mapped to its API and another', { apis: ['disputes'] }, 'both', true],
    ['a scope not mapped, of the name of its API', { apis: ['payments'] }, 'payments', false],
    ['a scope mapped, where it has all APIs', { apis: 'all' }, 'cases', true],
    ['a scope not mapped, where it has all APIs', { apis: 'all' }, 'payments', false],
    ['a scope not mapped that it lists', { apis: 'all', scopes: ['payments'] }, 'payments', true],
    ['a scope mapped that it does not list', { apis: 'all', scopes: ['payments'] }, 'gateway', false],
  ] as const)('with an API map, %s (%j, %s): %s', (_name, facts, scope, held) => {
    expect(holdsScope(freezePrincipal(keyPrincipal({ ...facts, apiMap: map })), scope)).toBe(held);
  });

  it.each([
    ['payments:refund', true],
    ['payments', false],
    ['gateway', false],
  ])('an access token has only the granted scopes: %s: %s', (scope, held) => {
    expect(holdsScope(freezePrincipal(accessPrincipal()), scope)).toBe(held);
  });

  it('uses scope prefixes for a principal that was never frozen', () => {
    expect(holdsScope(keyPrincipal(), 'payments:refund')).toBe(true);
    expect(holdsScope(keyPrincipal(), 'vault')).toBe(false);
  });
});

describe('listedScopesOf', () => {
  it('returns the scopes that the credential itself lists, without implied ones', () => {
    const scopes = ['files:write', 'audit', 'files:read'];
    expect(listedScopesOf(accessPrincipal({ scopes, listedScopes: ['audit', 'files:write', 'vault'] }))).toEqual([
      ...['files:write', 'audit'],
    ]);
    expect(listedScopesOf(accessPrincipal({ scopes, listedScopes: [] }))).toEqual([]);
  });

  it('returns all scopes if none is implied', () => {
    const scopes = ['files:write', 'audit'];
    expect(listedScopesOf(accessPrincipal({ scopes }))).toBe(scopes);
  });

  it('returns none for a key with all scopes of its APIs', () => {
    expect(listedScopesOf(keyPrincipal({ scopes: 'all' }))).toEqual([]);
  });
});
