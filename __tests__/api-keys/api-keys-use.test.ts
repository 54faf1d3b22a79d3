import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordUse } from '../../lib/contracts/key-resolver.js';
import { digestOf } from '../../lib/credentials/digest.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { cachedPrincipal } from '../support/cached-principal.js';
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
});
