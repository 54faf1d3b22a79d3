import { describe, expect, it } from '@jest/globals';
import type { SigningKeyStore } from '../../../lib/issuer/index.js';
import { ANNOUNCED_FOR, MAX_KEYS, ROTATE_AFTER } from '../../../lib/issuer/signing-keys/key-schedule.js';
import { memorySigningKeys } from '../../../lib/issuer/signing-keys/memory-signing-keys.js';
import { makeSigningKey } from '../../../lib/issuer/signing-keys/signing-key.js';
import { SigningKeys } from '../../../lib/issuer/signing-keys/signing-keys.js';
import { createManualClock, type ManualClock } from '../../support/manual-clock.js';
import { onDatabase } from '../../support/store-database.js';
import { makeStores } from '../../support/store-places.js';
import { sharedEngines } from '../../support/test-stores.js';

const HOUR = 3_600_000;
const READ_EVERY = 60_000;
const TOKEN_LIFETIME = HOUR;

/** An issuer that records with which key it signed, and when by the true time. */
function instance(store: SigningKeyStore, clock: ManualClock, truth: ManualClock) {
  const keys = new SigningKeys(store, 'ES256', clock);
  const signed = new Map<string, number>();
  return {
    async sign() {
      signed.set((await keys.current()).kid, truth.now());
    },
    /** Whether every key whose tokens have not expired is still in the store. */
    async isWhole() {
      const kept = (await store.listSigningKeys()).map(({ kid }) => kid);
      const live = [...signed].filter(([, at]) => truth.now() - at < TOKEN_LIFETIME).map(([kid]) => kid);
      return live.every((kid) => kept.includes(kid));
    },
  };
}

describe('a clock 27 h ahead during a rotation of signing keys', () => {
  it.each([
    ['of the one instance', 0, 1],
    ['of one of two instances', 1, 2],
  ])('N31 removes no key that could have signed an unexpired token: %s', async (_what, wrong, count) => {
    const [store, truth] = [memorySigningKeys(), createManualClock()];
    const clocks = Array.from({ length: count }, createManualClock);
    const issuers = clocks.map((clock) => instance(store, clock, truth));
    const pass = async (milliseconds: number) => {
      for (const clock of [truth, ...clocks]) clock.advance(milliseconds);
      for (const issuer of issuers) await issuer.sign();
      for (const issuer of issuers) expect(await issuer.isWhole()).toBe(true);
    };
    await pass(0);
    await pass(ROTATE_AFTER);
    expect(await store.listSigningKeys()).toHaveLength(2);
    clocks[wrong]?.setWall(27 * HOUR);
    for (let minute = 0; minute < 10; minute += 1) await pass(READ_EVERY);
    clocks[wrong]?.setWall(-27 * HOUR);
    for (let hour = 0; hour < 60; hour += 1) await pass(HOUR / 2);
    expect(await store.listSigningKeys()).toHaveLength(1);
  });

  it('N31 a key that was made while the clock was ahead replaces the old one in the end', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const issuer = instance(store, clock, clock);
    await issuer.sign();
    clock.advance(ROTATE_AFTER);
    clock.setWall(27 * HOUR);
    await issuer.sign();
    clock.setWall(-27 * HOUR);
    for (let hour = 0; hour < 120; hour += 1) {
      clock.advance(HOUR / 2);
      await issuer.sign();
      expect(await issuer.isWhole()).toBe(true);
    }
    expect(await store.listSigningKeys()).toHaveLength(1);
  });
});

describe('a wall clock that is set while an issuer runs', () => {
  const kidsOf = async (keys: SigningKeys) => (await keys.published()).keys.map(({ kid }) => kid);

  it('three hours ahead: a key that was retired a minute ago is not removed', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const { kid: old } = await keys.current();
    for (const passed of [ROTATE_AFTER, ANNOUNCED_FOR, READ_EVERY]) {
      clock.advance(passed);
      await keys.current();
    }
    expect((await keys.current()).kid).not.toBe(old);
    clock.setWall(3 * HOUR);
    clock.advance(READ_EVERY);
    expect(await kidsOf(keys)).toContain(old);
    expect(await store.listSigningKeys()).toHaveLength(2);
  });

  it('an hour ahead: a key that other instances may not know yet does not sign', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const { kid: old } = await keys.current();
    await store.addSigningKey(await makeSigningKey('ES256', clock.now()), old);
    await store.retireSigningKey(old);
    clock.advance(READ_EVERY);
    expect((await keys.current()).kid).toBe(old);
    clock.setWall(HOUR);
    clock.advance(READ_EVERY);
    expect((await keys.current()).kid).toBe(old);
  });

  it('an hour back: the store is still read after a minute, and five seconds after a failure', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    let isAway = false;
    const listSigningKeys = () => (isAway ? Promise.reject(new Error('away')) : store.listSigningKeys());
    const keys = new SigningKeys({ ...store, listSigningKeys }, 'ES256', clock);
    const { kid: first } = await keys.current();
    const second = await makeSigningKey('ES256', clock.now());
    await store.addSigningKey(second, first);
    clock.setWall(-HOUR);
    clock.advance(READ_EVERY);
    expect(await kidsOf(keys)).toEqual([first, second.kid]);
    isAway = true;
    clock.advance(READ_EVERY);
    await keys.current();
    isAway = false;
    await store.removeSigningKey(second.kid);
    clock.setWall(-HOUR);
    clock.advance(5_000);
    expect(await kidsOf(keys)).toEqual([first]);
  });
});

const ALGORITHMS = ['RS256', 'ES256'] as const;

/** Of each algorithm, how many keys may sign. */
async function usableOf(store: SigningKeyStore): Promise<Record<string, number>> {
  const usable = (await store.listSigningKeys()).filter(
    ({ retiredAt }) => retiredAt === undefined || retiredAt === null,
  );
  return Object.fromEntries(ALGORITHMS.map((of) => [of, usable.filter(({ alg }) => alg === of).length]));
}

describe('two algorithms', () => {
  it.each([0, READ_EVERY, HOUR, 12 * HOUR, ANNOUNCED_FOR + HOUR])(
    'N27 101 alternating restarts, each after %d ms: one active key each, at most 20 keys',
    async (between) => {
      const [store, clock] = [memorySigningKeys(), createManualClock()];
      for (let start = 0; start < 101; start += 1) {
        const algorithm = ALGORITHMS[start % 2] ?? 'RS256';
        expect(await new SigningKeys(store, algorithm, clock).current()).toBeDefined();
        const usable = await usableOf(store);
        expect(Math.max(...Object.values(usable))).toBeLessThanOrEqual(1);
        expect((await store.listSigningKeys()).length).toBeLessThanOrEqual(MAX_KEYS);
        clock.advance(between);
      }
    },
  );

  it('N27 limits the set even if nothing is ever removed', async () => {
    const clock = createManualClock();
    const store = { ...memorySigningKeys(), removeSigningKey: () => undefined };
    const keys = new SigningKeys(store, 'ES256', clock);
    for (let round = 0; round < 30; round += 1) {
      await keys.current();
      clock.advance(ROTATE_AFTER);
    }
    expect(await store.listSigningKeys()).toHaveLength(MAX_KEYS);
  });

  describe.each(sharedEngines)('on %s', (engine) => {
    it('N27 an issuer is refused while one of the other algorithm runs, and starts when it has stopped', async () => {
      const stores = await makeStores(engine);
      const encryptionKey = Buffer.alloc(32, 7);
      const clock = createManualClock();
      const [one, other] = [await stores.open({ encryptionKey }), await stores.open({ encryptionKey })];
      const running = new SigningKeys(one, 'ES256', clock);
      await running.current();
      const starting = new SigningKeys(other, 'RS256', clock);
      await expect(Promise.resolve(starting.current())).rejects.toThrow(
        'another issuer with the same store signs with ES256, but this issuer signs with RS256',
      );
      expect(await usableOf(one)).toEqual({ RS256: 0, ES256: 1 });
      // The one that runs goes on, and a second one of its algorithm may start.
      clock.advance(READ_EVERY);
      expect((await running.current()).alg).toBe('ES256');
      expect((await new SigningKeys(other, 'ES256', clock).current()).alg).toBe('ES256');
      await other.close();
      await one.close();
      const third = await stores.open({ encryptionKey });
      await new SigningKeys(third, 'RS256', clock).current();
      expect(await usableOf(third)).toEqual({ RS256: 1, ES256: 1 });
      await stores.close();
    });

    it('N27 a crashed issuer does not block others after two minutes', async () => {
      const stores = await makeStores(engine);
      const store = await stores.open({ encryptionKey: Buffer.alloc(32, 7) });
      expect(await store.announceIssuer('ES256')).toBeUndefined();
      const another = await stores.open();
      expect(await another.announceIssuer('RS256')).toBe('ES256');
      await onDatabase(stores.url, 'update issuers set seen_at = seen_at - 121000');
      expect(await another.announceIssuer('RS256')).toBeUndefined();
      expect(await store.announceIssuer('ES256')).toBe('RS256');
      await stores.close();
    });

    it('N27 issuers with two algorithms start concurrently: only those with one algorithm start', async () => {
      const stores = await makeStores(engine);
      const opened = await Promise.all([1, 2, 3, 4].map(() => stores.open()));
      const refused = await Promise.all(opened.map((store, at) => store.announceIssuer(ALGORITHMS[at % 2] ?? '')));
      expect(refused.filter((other) => other !== undefined)).toHaveLength(2);
      expect(new Set(refused.filter((other) => other !== undefined)).size).toBe(1);
      await stores.close();
    });
  });
});
