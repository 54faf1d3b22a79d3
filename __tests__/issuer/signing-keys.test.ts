import { describe, expect, it } from '@jest/globals';
import {
  ANNOUNCED_FOR,
  isRotationDue,
  KEPT_FOR,
  ROTATE_AFTER,
  retiredKeysOf,
  signingKeyOf,
} from '../../lib/issuer/key-schedule.js';
import { memorySigningKeys } from '../../lib/issuer/memory-signing-keys.js';
import { SIGNING_ALGORITHMS, SigningKeys } from '../../lib/issuer/signing-keys.js';
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
    const keys = [key(0), key(ROTATE_AFTER)];
    expect(signingKeyOf([], 0)).toBeUndefined();
    expect(signingKeyOf(keys.slice(0, 1), 0)).toBe(keys[0]);
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
  it.each(SIGNING_ALGORITHMS)('A22 publishes no private member: %s', async (algorithm) => {
    const keys = new SigningKeys(memorySigningKeys(), algorithm, createManualClock());
    const signs = await keys.current();
    const { keys: published } = await keys.published();
    expect(published).toHaveLength(1);
    for (const jwk of published) {
      expect(jwk).toMatchObject({ kid: signs.kid, alg: algorithm, use: 'sig' });
      for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) expect(jwk).not.toHaveProperty(name);
    }
  });

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

  it('goes on with the keys it has while the store cannot be reached, and has none without', async () => {
    const clock = createManualClock();
    const store = { ...memorySigningKeys() };
    const keys = new SigningKeys(store, 'ES256', clock);
    const { kid } = await keys.current();
    store.listSigningKeys = () => {
      throw new Error('away');
    };
    clock.advance(60_000);
    expect((await keys.current()).kid).toBe(kid);
    await expect(new SigningKeys(store, 'ES256', clock).current()).rejects.toThrow('away');
  });

  it('says so where the store keeps nothing', async () => {
    const store = { ...memorySigningKeys(), addSigningKey: () => false };
    await expect(new SigningKeys(store, 'ES256', createManualClock()).current()).rejects.toThrow(
      'keyward: the store of signing keys keeps none of those it was given',
    );
  });
});
