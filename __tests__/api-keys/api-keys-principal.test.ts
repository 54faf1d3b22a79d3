import { describe, expect, it } from '@jest/globals';
import { type ApiKeysOptions, apiMap } from 'keyward';
import type { KeyTraits } from '../support/key-table.js';
import { keyedVerifier } from '../support/keyed-verifier.js';
import { START } from '../support/manual-clock.js';

describe('apiKeys: the principal', () => {
  async function principalOf(traits: KeyTraits, options: Partial<ApiKeysOptions> = {}) {
    const outcome = await keyedVerifier(traits, options).verify();
    return outcome.outcome === 'accepted' ? outcome.principal : outcome;
  }

  it('has the values of the record', async () => {
    const traits: KeyTraits = {
      id: 'k1',
      kind: 'public',
      account: 'a1',
      apis: ['payments'],
      scopes: ['payments:read'],
    };
    const end = new Date(START + 60_500);
    const principal = await principalOf({
      ...traits,
      channels: ['c1'],
      platform: 'shop',
      expiresAt: end,
      name: 'till',
    });
    expect(principal).toEqual({
      kind: 'public',
      keyId: 'k1',
      account: 'a1',
      environment: 'live',
      apis: ['payments'],
      scopes: ['payments:read'],
      channels: ['c1'],
      platform: 'shop',
      expiresAt: (START + 60_500) / 1_000,
    });
  });

  it.each([
    ['never', {}, undefined],
    ['at its expiry', { expiresAt: new Date(START + 9_000) }, START / 1_000 + 9],
    ['when it will be revoked', { revokedAt: new Date(START + 8_000) }, START / 1_000 + 8],
    ['at the earlier', { expiresAt: new Date(START + 9_000), revokedAt: new Date(START + 8_000) }, START / 1_000 + 8],
    ['at the earlier', { expiresAt: new Date(START + 8_000), revokedAt: new Date(START + 9_000) }, START / 1_000 + 8],
  ])('expires %s', async (_when, traits, expiresAt) => {
    expect(await principalOf(traits)).toMatchObject({ expiresAt });
  });

  it('is frozen, with its lists, and shared by all requests', async () => {
    const { verify, cached } = keyedVerifier({ apis: ['payments'], scopes: ['payments'], channels: ['c1'] });
    await verify();
    const principal = cached();
    for (const part of [principal, principal?.apis, principal?.scopes, principal?.channels]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(cached()).toBe(principal);
  });

  it.each([
    ['a secret key without scopes holds all of its APIs', { apis: ['payments'] }, 'all'],
    ['one with a list holds those', { apis: 'all', scopes: ['payments:read'] }, ['payments:read']],
    [
      'but none of an API that it does not reach',
      { apis: ['payments'], scopes: ['payments:read', 'disputes'] },
      ['payments:read'],
    ],
    ['an empty list is none', { apis: 'all', scopes: [] }, []],
    ['a public key without scopes holds none', { kind: 'public', apis: ['payments'] }, []],
    [
      'one with a list holds those of its APIs',
      { kind: 'public', apis: ['payments'], scopes: ['payments:read', 'x'] },
      ['payments:read'],
    ],
  ] as [string, KeyTraits, unknown][])('scopes: %s', async (_what, traits, scopes) => {
    const principal = await principalOf(traits);
    expect(principal).toMatchObject({ scopes });
    expect(Object.isFrozen('scopes' in principal && principal.scopes)).toBe(true);
  });

  it('has the scopes of an API by the given map', async () => {
    const apis = apiMap({ payments: ['gateway:payment'], disputes: ['payments:dispute'] });
    const principal = await principalOf(
      { apis: ['payments'], scopes: ['gateway:payment', 'payments:dispute', 'payments:read'] },
      { apis },
    );
    expect(principal).toMatchObject({ scopes: ['gateway:payment'] });
  });
});
