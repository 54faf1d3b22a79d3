import { describe, expect, it } from '@jest/globals';
import type { SigningKeyStore } from '../../lib/issuer/index.js';
import {
  ANNOUNCED_FOR,
  isRotationDue,
  KEPT_FOR,
  ROTATE_AFTER,
  retiredKeysOf,
  signingKeyOf,
} from '../../lib/issuer/key-schedule.js';
import { memorySigningKeys } from '../../lib/issuer/memory-signing-keys.js';
import { SigningKeyFault } from '../../lib/issuer/signing-key.js';
import { SigningKeys } from '../../lib/issuer/signing-keys.js';
import { createManualClock } from '../support/manual-clock.js';

describe('the schedule of keys', () => {
  const key = (createdAt: number) => ({ createdAt });

  it.each([
    ['no key', [], 0, true],
    ['a young one', [key(0)], ROTATE_AFTER - 1, false],
    ['one of age', [key(0)], ROTATE_AFTER, true],
    ['one of age, and its successor', [key(0), key(ROTATE_AFTER)], ROTATE_AFTER, false],
  ])('asks for a new key: %s', (_name, keys, now, due) => {
    expect(isRotationDue(keys, now)).toBe(due);
  });

  it('lets the very first key sign at once, and a later one when it was announced long enough', () => {
    const keys = [key(0), key(ROTATE_AFTER)] as const;
    expect(signingKeyOf([keys[0]], 0)).toBe(keys[0]);
    expect(signingKeyOf(keys, ROTATE_AFTER + ANNOUNCED_FOR - 1)).toBe(keys[0]);
    expect(signingKeyOf(keys, ROTATE_AFTER + ANNOUNCED_FOR)).toBe(keys[1]);
  });

  it('keeps an old key until its last token has expired, and longer', () => {
    const keys = [key(0), key(ROTATE_AFTER)];
    const signs = ROTATE_AFTER + ANNOUNCED_FOR;
    expect(KEPT_FOR).toBeGreaterThan(3_600_000);
    expect(retiredKeysOf(keys, signs + KEPT_FOR - 1)).toEqual([]);
    expect(retiredKeysOf(keys, signs + KEPT_FOR)).toEqual([keys[0]]);
    expect(retiredKeysOf(keys.slice(1), signs * 10)).toEqual([]);
  });
});

describe('SigningKeys', () => {
  it('two issuers that start at once get one key', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const issuers = [1, 2, 3].map(() => new SigningKeys(store, 'ES256', clock));
    const kids = await Promise.all(issuers.map(async (keys) => (await keys.current()).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await store.listSigningKeys()).toHaveLength(1);
  });

  it('rotates: announces the next key before it signs, and drops the old one after its last token', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const first = await keys.current();
    clock.advance(ROTATE_AFTER);
    const { keys: published } = await keys.published();
    expect(published.map(({ kid }) => kid)).toEqual([first.kid, expect.any(String)]);
    expect((await keys.current()).kid).toBe(first.kid);
    clock.advance(ANNOUNCED_FOR);
    expect((await keys.current()).kid).toBe(published[1]?.kid);
    expect((await keys.published()).keys).toHaveLength(2);
    clock.advance(KEPT_FOR);
    expect((await keys.published()).keys.map(({ kid }) => kid)).toEqual([published[1]?.kid]);
    expect(await store.listSigningKeys()).toHaveLength(1);
  });

  it('drops at once a key that was taken out of the store, and makes another', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const leaked = await keys.current();
    await store.removeSigningKey(leaked.kid);
    clock.advance(60_000);
    const { keys: published } = await keys.published();
    expect(published.map(({ kid }) => kid)).toEqual([(await keys.current()).kid]);
    expect(published[0]?.kid).not.toBe(leaked.kid);
  });
});

describe('another algorithm than that of the newest key', () => {
  const algorithmsOf = async (keys: SigningKeys) => (await keys.published()).keys.map(({ alg }) => alg);

  async function storeOf(algorithm: 'RS256' | 'ES256' | 'EdDSA') {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    await new SigningKeys(store, algorithm, clock).current();
    return { store, clock };
  }

  it('is published at the start, and signs a day later', async () => {
    const { store, clock } = await storeOf('RS256');
    const keys = new SigningKeys(store, 'EdDSA', clock);
    expect(await algorithmsOf(keys)).toEqual(['RS256', 'EdDSA']);
    clock.advance(ANNOUNCED_FOR - 1);
    expect((await keys.current()).alg).toBe('RS256');
    clock.advance(1);
    expect((await keys.current()).alg).toBe('EdDSA');
    expect(await algorithmsOf(keys)).toEqual(['RS256', 'EdDSA']);
    clock.advance(KEPT_FOR);
    expect(await algorithmsOf(keys)).toEqual(['EdDSA']);
  });

  it('is made once, whatever instances start after', async () => {
    const { store, clock } = await storeOf('ES256');
    const instances = [1, 2, 3].map(() => new SigningKeys(store, 'EdDSA', clock));
    await Promise.all(instances.map((keys) => keys.current()));
    await new SigningKeys(store, 'EdDSA', clock).current();
    expect(await store.listSigningKeys()).toHaveLength(2);
  });

  it('does not have instances of both make keys in turn while one replaces the other', async () => {
    const { store, clock } = await storeOf('ES256');
    const [old, replacing] = [new SigningKeys(store, 'ES256', clock), new SigningKeys(store, 'EdDSA', clock)];
    await old.current();
    for (let minute = 0; minute < 5; minute += 1) {
      expect(await algorithmsOf(replacing)).toEqual(['ES256', 'EdDSA']);
      clock.advance(60_000);
      await old.current();
    }
    expect(await algorithmsOf(old)).toEqual(['ES256', 'EdDSA']);
  });

  it('is told again where the first reading failed', async () => {
    const { store, clock } = await storeOf('ES256');
    const { addSigningKey } = store;
    const failing: SigningKeyStore = { ...store, addSigningKey: () => Promise.reject(new Error('read-only')) };
    const keys = new SigningKeys(failing, 'EdDSA', clock);
    await expect(keys.current()).rejects.toThrow(SigningKeyFault);
    Object.assign(failing, { addSigningKey });
    expect(await algorithmsOf(keys)).toEqual(['ES256', 'EdDSA']);
  });
});
