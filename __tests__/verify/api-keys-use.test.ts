import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordUse } from '../../lib/contracts/key-resolver.js';
import { digestOf } from '../../lib/credentials/digest.js';
import { PresentedCredential } from '../../lib/verify/presented-credential.js';
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
    const presented = (from?: string) => new PresentedCredential(key, { ip: from });
    return {
      key,
      clock,
      verify: async (from?: string) => keys.verify(presented(from)),
      recall: (from?: string) => keys.recall?.(presented(from)),
    };
  }

  it('hears which key was let in, and from where', async () => {
    const { key, verify } = used();
    await verify('203.0.113.9');
    expect(heard).toEqual([[digestOf(key), '203.0.113.9']]);
  });

  it.each(['verify', 'recall'] as const)('hears of a key in use once a minute, where it is known: %s', async (ask) => {
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
      await asked[ask](from);
    }
    expect(heard.map(([, from]) => from)).toEqual(['first', 'second', 'third']);
  });

  it.each<[string, KeyTraits]>([
    ['revoked', { revokedAt: new Date(START) }],
    ['expired', { expiresAt: new Date(START) }],
    ['disabled', { disabled: true }],
  ])('hears nothing of a key that is %s', async (_what, traits) => {
    const { verify, recall } = used(traits);
    await verify();
    recall();
    expect(heard).toEqual([]);
  });

  it('hears nothing of a key that has expired since it was known', async () => {
    const { verify, recall, clock } = used({ expiresAt: new Date(START + 60_000) });
    await verify('first');
    clock.advance(60_000);
    recall('too late');
    await verify('too late');
    expect(heard.map(([, from]) => from)).toEqual(['first']);
  });

  it('costs the caller nothing when it throws, and is not tried again on every request', async () => {
    let tries = 0;
    const { verify, recall } = used({}, () => {
      tries += 1;
      throw new Error('disk full');
    });
    expect(await verify()).toMatchObject({ outcome: 'accepted' });
    expect(recall()).toMatchObject({ keyId: 'key_1' });
    expect(tries).toBe(1);
  });
});
