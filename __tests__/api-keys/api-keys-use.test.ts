import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordUse } from '../../lib/contracts/key-resolver.js';
import { digestOf } from '../../lib/credentials/digest.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { cachedPrincipal } from '../support/cached-principal.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTraits } from '../support/key-table.js';
import { keyedVerifier } from '../support/keyed-verifier.js';
import { START } from '../support/manual-clock.js';

describe('recordUse', () => {
  let heard: Parameters<RecordUse>[];
  beforeEach(() => {
    heard = [];
  });
  const hear: RecordUse = (...use) => void heard.push(use);

  /** A key of these traits, and a verifier whose resolver hears of its use. */
  function used(traits: KeyTraits = {}, recordUse = hear) {
    const table = createKeyTable();
    const key = table.add(traits);
    const resolver = { resolveKey: table.resolveKey, recordUse };
    const { keys, clock } = keyedVerifier({}, { resolver, cache: { ttl: 300_000 } });
    return {
      key,
      clock,
      verify: async (from?: string) => keys.verify(new PresentedCredential(key, { ip: from })),
      cached: (from?: string) => cachedPrincipal(keys, key, from),
    };
  }

  it('gets the digest and address of an accepted key', async () => {
    const { key, verify } = used();
    await verify('203.0.113.9');
    expect(heard).toEqual([[digestOf(key), '203.0.113.9']]);
  });

  it('is called once a minute for a key in use', async () => {
    const asked = used();
    await asked.verify('first');
    for (const [passed, from] of [
      [0, 'at once'],
      [59_999, 'a moment too early'],
      [1, 'second'],
      [59_999, 'a moment too early'],
      [1, 'third'],
    ] as const) {
      asked.clock.advance(passed);
      await asked.verify(from);
    }
    expect(heard.map(([, from]) => from)).toEqual(['first', 'second', 'third']);
  });

  it.each<[string, KeyTraits]>([
    ['revoked', { revokedAt: new Date(START) }],
    ['expired', { expiresAt: new Date(START) }],
    ['disabled', { disabled: true }],
  ])('is not called for a key that is %s', async (_what, traits) => {
    const { verify, cached } = used(traits);
    await verify();
    cached();
    expect(heard).toEqual([]);
  });

  it('is not called for a key that expired while it was cached', async () => {
    const { verify, clock } = used({ expiresAt: new Date(START + 60_000) });
    await verify('first');
    clock.advance(60_000);
    await verify('too late');
    expect(heard.map(([, from]) => from)).toEqual(['first']);
  });

  it('does not affect the request when it throws, and is not called again for every request', async () => {
    let tries = 0;
    const { verify, cached } = used({}, () => {
      tries += 1;
      throw new Error('disk full');
    });
    expect(await verify()).toMatchObject({ outcome: 'accepted' });
    expect(cached()).toMatchObject({ keyId: 'key_1' });
    expect(tries).toBe(1);
  });

  it('is called with an allowed address only', async () => {
    const { key, verify } = used({ allowedAddresses: ['203.0.113.7'] });
    await verify('203.0.113.8');
    await verify('203.0.113.7');
    expect(heard).toEqual([[digestOf(key), '203.0.113.7']]);
  });
});

describe('usageOf', () => {
  /** A key of these traits, and a verifier whose resolver counts its requests. */
  function counted(traits: KeyTraits, count: (what: string) => void) {
    const table = createKeyTable();
    const key = table.add(traits);
    const usageOf = (id: string) => ({
      accepted: () => count(`${id} accepted`),
      refused: () => count(`${id} refused`),
    });
    const { keys } = keyedVerifier({}, { resolver: { resolveKey: table.resolveKey, usageOf } });
    return { ask: async () => (await keys.verify(new PresentedCredential(key))).outcome };
  }

  it.each<[string, KeyTraits]>([
    ['accepted', {}],
    ['refused', { disabled: true }],
  ])('counts each request that is %s', async (expected, traits) => {
    const counts: string[] = [];
    const { ask } = counted(traits, (what) => counts.push(what));
    expect([await ask(), await ask()]).toEqual([expected, expected]);
    expect(counts).toEqual([`key_1 ${expected}`, `key_1 ${expected}`]);
  });

  it('is named in the event if its counter throws', async () => {
    const ear = eavesdrop();
    const { ask } = counted({}, () => {
      throw new Error('disk full');
    });
    const outcome = await ask();
    ear.stop();
    expect(outcome).toBe('accepted');
    expect(ear.heard('keyward:callback-failure')).toMatchObject([{ of: 'apiKeys', callback: 'usageOf' }]);
  });
});
