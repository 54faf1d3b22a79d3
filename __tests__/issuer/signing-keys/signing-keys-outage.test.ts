import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SigningKeyStore } from '../../../lib/issuer/index.js';
import { ANNOUNCED_FOR, KEPT_FOR, MAX_KEYS, ROTATE_AFTER } from '../../../lib/issuer/signing-keys/key-schedule.js';
import { memorySigningKeys } from '../../../lib/issuer/signing-keys/memory-signing-keys.js';
import { makeSigningKey, SigningKeyError } from '../../../lib/issuer/signing-keys/signing-key.js';
import { SigningKeys } from '../../../lib/issuer/signing-keys/signing-keys.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { createManualClock } from '../../support/manual-clock.js';

const READ_EVERY = 60_000;
const ASK_AGAIN_AFTER = 5_000;
const TIMEOUT_MS = 5;

const kidsOf = ({ keys }: { keys: readonly { kid?: string | undefined }[] }) => keys.map(({ kid }) => kid);

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => events.stop());

const warnings = () => events.heard('keyward:issuer');
const away = (detail: string) => ({ warning: 'signing_keys_away', detail });

/** A store that stops answering, and keys that were read from it before. */
async function keysOfHangingStore() {
  const clock = createManualClock();
  const kept = memorySigningKeys();
  const store = { ...kept };
  const keys = new SigningKeys(store, 'ES256', clock, TIMEOUT_MS);
  const { kid } = await keys.current();
  const asked: (() => Promise<void>)[] = [];
  store.listSigningKeys = () =>
    new Promise((resolve) => {
      const listed = kept.listSigningKeys();
      asked.push(async () => resolve(await listed));
    });
  clock.advance(READ_EVERY);
  /** It answers again, with another key that a second instance has made since. */
  const recover = async () => {
    const second = await makeSigningKey('ES256', clock.now());
    await kept.addSigningKey(second, kid);
    store.listSigningKeys = kept.listSigningKeys;
    clock.advance(ASK_AGAIN_AFTER);
    return second.kid;
  };
  return { keys, kid, asked, recover };
}

describe('while the store of signing keys does not answer', () => {
  it('the cached keys are used, with an event for the operator', async () => {
    const { keys, kid } = await keysOfHangingStore();
    expect((await keys.current()).kid).toBe(kid);
    expect(warnings()).toEqual([away('listSigningKeys: TimeoutError')]);
  });

  it('an unknown key is an error, and a cached key is not', async () => {
    const { keys, kid } = await keysOfHangingStore();
    expect(kidsOf(await keys.published(kid))).toEqual([kid]);
    await expect(keys.published('key-of-another-instance')).rejects.toThrow(
      new SigningKeyError('the kid of the token matches no cached signing key, and the store cannot be reached'),
    );
  });

  it('every cached key is published, also for a token of one of them', async () => {
    const clock = createManualClock();
    const store = { ...memorySigningKeys() };
    const { kid } = await new SigningKeys(store, 'ES256', clock).current();
    const second = await makeSigningKey('ES256', clock.now());
    await store.addSigningKey(second, kid);
    const keys = new SigningKeys(store, 'ES256', clock);
    await keys.current();
    store.listSigningKeys = () => Promise.reject(new Error('away'));
    clock.advance(READ_EVERY);
    for (const asked of [undefined, kid, second.kid])
      expect(kidsOf(await keys.published(asked))).toEqual([kid, second.kid]);
    expect(warnings()).toEqual([away('listSigningKeys: Error')]);
  });

  it('after it answers again, an unknown key is no error', async () => {
    const { keys, recover } = await keysOfHangingStore();
    await keys.current();
    const second = await recover();
    expect(kidsOf(await keys.published('key-of-nobody'))).toContain(second);
  });

  it('the store is not asked for every token', async () => {
    const { keys, asked } = await keysOfHangingStore();
    await keys.current();
    await keys.current();
    expect(asked).toHaveLength(1);
    expect(warnings()).toHaveLength(1);
  });

  it('the store is asked again after some time', async () => {
    const { keys, kid, recover } = await keysOfHangingStore();
    await keys.current();
    const second = await recover();
    expect(kidsOf(await keys.published())).toEqual([kid, second]);
  });

  it('a late answer does not replace a newer one', async () => {
    const { keys, kid, asked, recover } = await keysOfHangingStore();
    await keys.current();
    const second = await recover();
    await keys.current();
    for (const answerLate of asked) await answerLate();
    await new Promise(setImmediate);
    expect(kidsOf(await keys.published())).toEqual([kid, second]);
  });
});

it('an unknown key is no error if the store answers at once after a failure', async () => {
  const store = { ...memorySigningKeys() };
  const { listSigningKeys } = store;
  store.listSigningKeys = () => Promise.reject(new Error('away'));
  const keys = new SigningKeys(store, 'ES256', createManualClock());
  await expect(keys.published('key-of-nobody')).rejects.toThrow(SigningKeyError);
  store.listSigningKeys = listSigningKeys;
  expect(kidsOf(await keys.published('key-of-nobody'))).toHaveLength(1);
});

describe('the event of a failing store names what failed', () => {
  it('if its list has something that is no record, while keys are cached', async () => {
    const [store, clock] = [{ ...memorySigningKeys() }, createManualClock()];
    const keys = new SigningKeys(store, 'ES256', clock);
    const { kid } = await keys.current();
    store.listSigningKeys = () => [null] as never;
    clock.advance(READ_EVERY);
    expect((await keys.current()).kid).toBe(kid);
    expect(warnings()).toEqual([away('a signing key in the store has no kid')]);
  });

  it('if it does not announce the issuer', async () => {
    const store = { ...memorySigningKeys(), announceIssuer: () => Promise.reject(new Error('away')) };
    await expect(new SigningKeys(store, 'ES256', createManualClock()).published()).rejects.toThrow(SigningKeyError);
    expect(warnings()).toEqual([away('announceIssuer: Error')]);
  });

  it('if it does not retire a key', async () => {
    const clock = createManualClock();
    const store = { ...memorySigningKeys(), retireSigningKey: () => Promise.reject(new Error('away')) };
    const keys = new SigningKeys(store, 'ES256', clock);
    for (const passed of [0, ROTATE_AFTER, ANNOUNCED_FOR]) {
      clock.advance(passed);
      await keys.current();
    }
    expect(warnings()).toEqual([away('retireSigningKey: Error')]);
  });

  it('if it has the maximum number of keys when a new one is due; the newest signs on', async () => {
    const [store, clock] = [memorySigningKeys(), createManualClock()];
    let newest: string | undefined;
    for (let count = 0; count < MAX_KEYS; count += 1) {
      const key = await makeSigningKey('ES256', clock.now());
      await store.addSigningKey(key, newest);
      newest = key.kid;
    }
    clock.advance(ROTATE_AFTER);
    expect((await new SigningKeys(store, 'ES256', clock).current()).kid).toBe(newest);
    expect(warnings()).toEqual([
      away(
        'no new signing key was created, because the store already has the maximum of 20; revoke one that is no longer used',
      ),
    ]);
  });
});

describe('while an issuer with another algorithm uses the store', () => {
  it('an issuer that is running continues, and reads its keys again; one that starts is refused', async () => {
    const clock = createManualClock();
    let other: string | undefined;
    let lists = 0;
    const kept = memorySigningKeys();
    const store: SigningKeyStore = {
      ...kept,
      announceIssuer: () => other,
      listSigningKeys: () => {
        lists += 1;
        return kept.listSigningKeys();
      },
    };
    const running = new SigningKeys(store, 'ES256', clock, TIMEOUT_MS);
    const { kid } = await running.current();
    other = 'RS256';
    const before = lists;
    clock.advance(READ_EVERY);
    expect((await running.current()).kid).toBe(kid);
    expect(lists).toBeGreaterThan(before);
    expect(warnings()).toEqual([]);
    await expect(new SigningKeys(store, 'ES256', clock, TIMEOUT_MS).current()).rejects.toThrow(
      'another issuer with the same store signs with RS256, but this issuer signs with ES256',
    );
  });
});

describe('without cached keys, there is no key from', () => {
  const refused = (code: string) => Object.assign(new Error('postgres://keyward:password@db'), { code });

  it.each<[string, Partial<SigningKeyStore>, string]>([
    [
      'a store that throws',
      { listSigningKeys: () => Promise.reject(refused('28P01')) },
      'listSigningKeys: Error 28P01',
    ],
    [
      'one whose error has a strange code',
      { listSigningKeys: () => Promise.reject(refused('password: secret')) },
      'listSigningKeys: Error',
    ],
    [
      'one that throws no error',
      {
        listSigningKeys: () => {
          throw 'password';
        },
      },
      'listSigningKeys: a thrown value of type string',
    ],
    ['one that never answers', { listSigningKeys: () => new Promise(() => {}) }, 'listSigningKeys: TimeoutError'],
    ['one that lists nothing', { listSigningKeys: () => undefined as never }, 'listSigningKeys() must return an array'],
    [
      'one whose list holds no record',
      { listSigningKeys: () => [null] as never },
      'a signing key in the store has no kid',
    ],
    [
      'one that keeps nothing',
      { addSigningKey: () => false },
      'the store has no usable signing key after the issuer added one; check that addSigningKey() stores the key and that listSigningKeys() returns it',
    ],
    ['one that takes no key', { addSigningKey: () => Promise.reject(refused('EROFS')) }, 'addSigningKey: Error EROFS'],
  ])('%s', async (_what, broken, detail) => {
    const store = { ...memorySigningKeys(), ...broken };
    const keys = new SigningKeys(store, 'ES256', createManualClock(), TIMEOUT_MS);
    await expect(keys.current()).rejects.toThrow(SigningKeyError);
    expect(warnings()).toEqual([away(detail)]);
    expect(JSON.stringify(warnings())).not.toContain('password');
  });

  it('one with the maximum number of keys, all retired', async () => {
    const store = memorySigningKeys();
    const clock = createManualClock();
    let newest: string | undefined;
    for (let count = 0; count < MAX_KEYS; count += 1) {
      const key = await makeSigningKey('ES256', clock.now());
      await store.addSigningKey(key, newest);
      await store.retireSigningKey(key.kid);
      newest = key.kid;
    }
    await expect(new SigningKeys(store, 'ES256', clock, TIMEOUT_MS).current()).rejects.toThrow(SigningKeyError);
    expect(warnings()).toContainEqual(
      away(
        `the store has the maximum of 20 signing keys, but all of them are retired; revoke one that is no longer used`,
      ),
    );
  });

  it('a store until it is available', async () => {
    const store = { ...memorySigningKeys() };
    const { listSigningKeys } = store;
    store.listSigningKeys = () => Promise.reject(new Error('not yet'));
    const keys = new SigningKeys(store, 'ES256', createManualClock(), TIMEOUT_MS);
    await expect(keys.current()).rejects.toThrow(SigningKeyError);
    store.listSigningKeys = listSigningKeys;
    expect((await keys.current()).alg).toBe('ES256');
  });
});

describe('a key that the store does not remove', () => {
  it('is no longer published by an instance that has seen it retired for long enough', async () => {
    const clock = createManualClock();
    const store = { ...memorySigningKeys(), removeSigningKey: () => Promise.reject(new Error('not allowed')) };
    const keys = new SigningKeys(store, 'ES256', clock);
    const { kid } = await keys.current();
    clock.advance(ROTATE_AFTER);
    await keys.published();
    clock.advance(ANNOUNCED_FOR);
    await keys.published();
    clock.advance(READ_EVERY);
    expect(kidsOf(await keys.published())).toHaveLength(2);
    clock.advance(KEPT_FOR);
    await expect(keys.published()).resolves.toBeDefined();
    const published = kidsOf(await keys.published());
    expect(published).toHaveLength(1);
    expect(published).not.toContain(kid);
    expect(warnings()).toEqual([away('removeSigningKey: Error')]);
  });
});
