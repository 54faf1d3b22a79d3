import { describe, expect, it } from '@jest/globals';
import type { SigningKeyStore } from '../../../lib/issuer/index.js';
import {
  ANNOUNCED_FOR,
  isRotationDue,
  KEPT_FOR,
  MAX_KEYS,
  ROTATE_AFTER,
  replacedKeysOf,
  signingKeyOf,
} from '../../../lib/issuer/signing-keys/key-schedule.js';
import { memorySigningKeys } from '../../../lib/issuer/signing-keys/memory-signing-keys.js';
import { makeSigningKey, SigningKeyError } from '../../../lib/issuer/signing-keys/signing-key.js';
import { SigningKeys } from '../../../lib/issuer/signing-keys/signing-keys.js';
import { createManualClock } from '../../support/manual-clock.js';

describe('the schedule of keys', () => {
  const key = (createdAt: number, alg = 'ES256', isRetired = false) => ({ createdAt, alg, isRetired });

  it('rotates after 90 days, announces a key for a day, and keeps a retired one for two hours', () => {
    expect([ROTATE_AFTER, ANNOUNCED_FOR, KEPT_FOR].map((time) => time / 3_600_000)).toEqual([90 * 24, 24, 2]);
    expect(MAX_KEYS).toBe(20);
  });

  it.each([
    ['no key', [], 0, true],
    ['a young one', [key(0)], ROTATE_AFTER - 1, false],
    ['one of age', [key(0)], ROTATE_AFTER, true],
    ['one of age, and its successor', [key(0), key(ROTATE_AFTER)], ROTATE_AFTER, false],
    ['a retired one alone', [key(0, 'ES256', true)], 0, true],
    ['one of a clock that was far ahead', [key(ROTATE_AFTER)], 0, true],
  ])('requires a new key: %s', (_name, keys, now, due) => {
    expect(isRotationDue(keys, 'ES256', now, true)).toBe(due);
    expect(isRotationDue(keys, 'ES256', now, false)).toBe(due);
  });

  it('requires a key of its own algorithm only at the start', () => {
    const keys = [key(0, 'ES256', true), key(0, 'RS256')];
    expect([isRotationDue(keys, 'ES256', 0, true), isRotationDue(keys, 'ES256', 0, false)]).toEqual([true, false]);
  });

  it('lets the first key sign immediately, and a later one after its announcement', () => {
    const keys = [key(0), key(ROTATE_AFTER)] as const;
    expect(signingKeyOf([keys[0]], 'ES256', 0)).toBe(keys[0]);
    expect(signingKeyOf(keys, 'ES256', ROTATE_AFTER + ANNOUNCED_FOR - 1)).toBe(keys[0]);
    expect(signingKeyOf(keys, 'ES256', ROTATE_AFTER + ANNOUNCED_FOR)).toBe(keys[1]);
  });

  it('never signs with a retired key, and prefers its own algorithm', () => {
    const keys = [key(0), key(0, 'RS256'), key(0, 'ES256', true)] as const;
    expect(signingKeyOf(keys, 'ES256', ANNOUNCED_FOR)).toBe(keys[0]);
    expect(signingKeyOf(keys, 'RS256', ANNOUNCED_FOR)).toBe(keys[1]);
    expect(signingKeyOf(keys, 'EdDSA', ANNOUNCED_FOR)).toBe(keys[1]);
    expect(signingKeyOf([keys[2]], 'ES256', ANNOUNCED_FOR)).toBeUndefined();
  });

  it('signs with the newest announced key if none is of its own algorithm', () => {
    const keys = [key(0), key(1), key(2)] as const;
    expect(signingKeyOf(keys, 'EdDSA', ANNOUNCED_FOR + 2)).toBe(keys[2]);
    expect(signingKeyOf(keys, 'EdDSA', ANNOUNCED_FOR + 1)).toBe(keys[1]);
  });

  it('replaces the keys before the one that signs', () => {
    const keys = [key(0, 'ES256', true), key(1, 'RS256'), key(2), key(3)] as const;
    expect(replacedKeysOf(keys, keys[2])).toEqual([keys[1]]);
    expect(KEPT_FOR).toBeGreaterThan(3_600_000);
  });
});

describe('SigningKeys', () => {
  const kidsOf = ({ keys }: { keys: readonly { kid?: string | undefined }[] }) => keys.map(({ kid }) => kid);

  it('reads the store for a key of a token that it does not know, at most once a second', async () => {
    const [shared, clock] = [memorySigningKeys(), createManualClock()];
    let reads = 0;
    const listSigningKeys = () => {
      reads += 1;
      return shared.listSigningKeys();
    };
    const [one, other] = [new SigningKeys({ ...shared, listSigningKeys }, 'ES256', clock), 'unknown'] as const;
    const { kid } = await one.current();
    await shared.removeSigningKey(kid);
    const made = await new SigningKeys(shared, 'ES256', clock).current();
    clock.advance(999);
    expect(kidsOf(await one.published(made.kid))).toEqual([kid]);
    clock.advance(1);
    expect(kidsOf(await one.published(made.kid))).toEqual([made.kid]);
    reads = 0;
    for (let i = 0; i < 10; i += 1) await one.published(other);
    expect(reads).toBe(0);
    clock.advance(1_000);
    for (let i = 0; i < 10; i += 1) await one.published(other);
    await one.published(made.kid);
    expect(reads).toBe(1);
  });

  it('reads the store once a minute, also for tokens of the keys that it knows', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const first = await new SigningKeys(store, 'ES256', clock).current();
    const second = await makeSigningKey('ES256', clock.now());
    await store.addSigningKey(second, first.kid);
    let reads = 0;
    const listSigningKeys = () => {
      reads += 1;
      return store.listSigningKeys();
    };
    const keys = new SigningKeys({ ...store, listSigningKeys }, 'ES256', clock);
    expect(kidsOf(await keys.published(second.kid))).toEqual([first.kid, second.kid]);
    reads = 0;
    clock.advance(59_999);
    for (const { kid } of [first, second]) await keys.published(kid);
    expect(reads).toBe(0);
  });

  it('tests a stored key once, and not at each read', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    await new SigningKeys(store, 'ES256', clock).current();
    const records = await store.listSigningKeys();
    let tests = 0;
    const listSigningKeys = () =>
      records.map(({ jwk, ...others }) => ({
        ...others,
        get jwk() {
          tests += 1;
          return jwk;
        },
      }));
    const keys = new SigningKeys({ ...store, listSigningKeys }, 'ES256', clock);
    await keys.current();
    clock.advance(60_000);
    await keys.current();
    expect(tests).toBe(1);
  });

  it('reads the store once a minute', async () => {
    const [shared, clock] = [memorySigningKeys(), createManualClock()];
    let reads = 0;
    const listSigningKeys = () => {
      reads += 1;
      return shared.listSigningKeys();
    };
    const keys = new SigningKeys({ ...shared, listSigningKeys }, 'ES256', clock);
    await keys.current();
    reads = 0;
    clock.advance(59_999);
    await keys.current();
    await keys.published();
    expect(reads).toBe(0);
    clock.advance(1);
    await Promise.all([keys.current(), keys.published(), keys.current()]);
    expect(reads).toBe(1);
  });

  it('asks a store that failed again after five seconds', async () => {
    const [shared, clock] = [memorySigningKeys(), createManualClock()];
    let [isAway, asked] = [false, 0];
    const listSigningKeys = () => {
      asked += 1;
      if (isAway) throw new Error('away');
      return shared.listSigningKeys();
    };
    const keys = new SigningKeys({ ...shared, listSigningKeys }, 'ES256', clock);
    await keys.current();
    clock.advance(60_000);
    [isAway, asked] = [true, 0];
    await keys.current();
    clock.advance(4_999);
    await keys.current();
    expect(asked).toBe(1);
    clock.advance(1);
    await keys.current();
    expect(asked).toBe(2);
  });

  it('two issuers that start concurrently get one key', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const issuers = [1, 2, 3].map(() => new SigningKeys(store, 'ES256', clock));
    const kids = await Promise.all(issuers.map(async (keys) => (await keys.current()).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await store.listSigningKeys()).toHaveLength(1);
  });

  it('rotates: announces the next key before it signs, and removes the old one after its last token', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const first = await keys.current();
    clock.advance(ROTATE_AFTER);
    const { keys: published } = await keys.published();
    expect(published.map(({ kid }) => kid)).toEqual([first.kid, expect.any(String)]);
    expect((await keys.current()).kid).toBe(first.kid);
    clock.advance(ANNOUNCED_FOR);
    expect((await keys.current()).kid).toBe(published[1]?.kid);
    clock.advance(60_000);
    expect((await keys.published()).keys).toHaveLength(2);
    clock.advance(60_000);
    expect((await keys.published()).keys).toHaveLength(2);
    clock.advance(KEPT_FOR);
    expect((await keys.published()).keys.map(({ kid }) => kid)).toEqual([published[1]?.kid]);
    expect(await store.listSigningKeys()).toHaveLength(1);
  });

  it('immediately stops using a key that was removed from the store, and creates another', async () => {
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
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(60_000);
      expect(await algorithmsOf(keys)).toEqual(['RS256', 'EdDSA']);
    }
    clock.advance(KEPT_FOR);
    expect(await algorithmsOf(keys)).toEqual(['EdDSA']);
  });

  it('is created once, however many instances start', async () => {
    const { store, clock } = await storeOf('ES256');
    const instances = [1, 2, 3].map(() => new SigningKeys(store, 'EdDSA', clock));
    await Promise.all(instances.map((keys) => keys.current()));
    await new SigningKeys(store, 'EdDSA', clock).current();
    expect(await store.listSigningKeys()).toHaveLength(2);
  });

  it('instances of both do not create keys in turn while one replaces the other', async () => {
    const { store, clock } = await storeOf('ES256');
    const [old, replacing] = [new SigningKeys(store, 'ES256', clock), new SigningKeys(store, 'EdDSA', clock)];
    await old.current();
    for (let minute = 0; minute < 5; minute += 1) {
      expect(await algorithmsOf(replacing)).toEqual(['ES256', 'EdDSA']);
      clock.advance(60_000);
      await old.current();
    }
    expect(await algorithmsOf(old)).toEqual(['ES256', 'EdDSA']);
    clock.advance(ANNOUNCED_FOR);
    for (let minute = 0; minute < 3; minute += 1) {
      await replacing.current();
      await old.current();
      clock.advance(60_000);
    }
    expect((await old.current()).alg).toBe('EdDSA');
    expect(await store.listSigningKeys()).toHaveLength(2);
  });

  it('is announced again if the first read failed', async () => {
    const { store, clock } = await storeOf('ES256');
    const { addSigningKey } = store;
    const failing: SigningKeyStore = { ...store, addSigningKey: () => Promise.reject(new Error('read-only')) };
    const keys = new SigningKeys(failing, 'EdDSA', clock);
    await expect(keys.current()).rejects.toThrow(SigningKeyError);
    Object.assign(failing, { addSigningKey });
    expect(await algorithmsOf(keys)).toEqual(['ES256', 'EdDSA']);
  });
});

describe('a key that replaces the others at once', () => {
  const kidsOf = async (keys: SigningKeys) => (await keys.published()).keys.map(({ kid }) => kid);

  /** Two instances, of which the first read the store just before `rotate --now`, and the second reads it just after. */
  async function rotatedNow() {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    clock.advance(3_600_000);
    const [one, other] = [new SigningKeys(store, 'ES256', clock), new SigningKeys(store, 'ES256', clock)];
    const { kid: old } = await other.current();
    clock.advance(59_000);
    await one.current();
    const made = await makeSigningKey('ES256', clock.now());
    await store.addSigningKey(made, old);
    await store.retireSigningKey(old);
    clock.advance(1_000);
    return { store, clock, one, other, old, made: made.kid };
  }

  it('signs when every instance and every cache of its keys publishes it', async () => {
    const { clock, one, other, old, made } = await rotatedNow();
    const published: (readonly (string | undefined)[])[] = [];
    for (let seconds = 0; seconds < 430; seconds += 1) {
      const { kid } = await other.current();
      published.push(await kidsOf(one));
      expect(published.at(-301) ?? published[0]).toContain(kid);
      if (seconds === 300) expect(kid).toBe(old);
      clock.advance(1_000);
    }
    expect([(await one.current()).kid, (await other.current()).kid]).toEqual([made, made]);
  });

  it('signs 365 seconds after an instance has read it', async () => {
    const { clock, other, old, made } = await rotatedNow();
    expect((await other.current()).kid).toBe(old);
    clock.advance(364_999);
    expect((await other.current()).kid).toBe(old);
    clock.advance(1);
    expect((await other.current()).kid).toBe(made);
  });

  it.each([
    ['waits at an instance that has read the store within half an hour', 1_799_999, 'old'],
    ['signs at once at an instance that has not read the store for half an hour', 1_800_000, 'made'],
  ] as const)('%s', async (_what, gap, expected) => {
    const { store, clock, other } = await rotatedNow();
    const [old, made] = (await store.listSigningKeys()).map(({ kid }) => kid);
    // The last read of "other" was a minute ago.
    clock.advance(gap - 60_000);
    expect((await other.current()).kid).toBe({ old, made }[expected]);
  });

  it('waits while the key that signed last signs on, and not an older one', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const { kid: oldest } = await keys.current();
    for (const passed of [ROTATE_AFTER, ANNOUNCED_FOR, 60_000]) {
      clock.advance(passed);
      await keys.current();
    }
    const { kid: old } = await keys.current();
    await store.addSigningKey(await makeSigningKey('ES256', clock.now()), old);
    await store.retireSigningKey(old);
    clock.advance(60_000);
    expect((await keys.current()).kid).toBe(old);
    expect((await kidsOf(keys)).indexOf(oldest)).toBe(0);
  });

  it('signs at once if the old key was revoked', async () => {
    const { store, other, old, made } = await rotatedNow();
    await store.removeSigningKey(old);
    expect((await other.current()).kid).toBe(made);
    expect(await kidsOf(other)).toEqual([made]);
  });

  it('does not wait once the old key is revoked', async () => {
    const { store, clock, other, old, made } = await rotatedNow();
    expect((await other.current()).kid).toBe(old);
    await store.removeSigningKey(old);
    clock.advance(60_000);
    expect((await other.current()).kid).toBe(made);
  });

  it('signs at once at an instance that has just started, or that has not read the store for long', async () => {
    const { store, clock, other, made } = await rotatedNow();
    expect((await new SigningKeys(store, 'ES256', clock).current()).kid).toBe(made);
    // The old key may have been retired an hour ago, and is removed two hours after that.
    clock.advance(3_600_000);
    expect((await other.current()).kid).toBe(made);
  });
});

describe('memorySigningKeys', () => {
  it('keeps the time at which a key was retired first, and adds a key only after the newest one', async () => {
    const store = memorySigningKeys();
    const [one, other] = [await makeSigningKey('ES256', 0), await makeSigningKey('ES256', 1)];
    expect(await store.addSigningKey(one, 'unknown')).toBe(false);
    expect(await store.addSigningKey(one, undefined)).toBe(true);
    expect(await store.addSigningKey(other, undefined)).toBe(false);
    expect(await store.addSigningKey(other, one.kid)).toBe(true);
    await store.retireSigningKey(one.kid);
    const retiredOf = async () => (await store.listSigningKeys()).map(({ retiredAt }) => retiredAt);
    const [first, second] = await retiredOf();
    expect([first, second]).toEqual([expect.any(Date), undefined]);
    await store.retireSigningKey(one.kid);
    expect((await retiredOf())[0]).toBe(first);
  });
});
