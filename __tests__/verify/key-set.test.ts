import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KeySetChange } from 'keyward';
import { instantOf } from '../../lib/verify/freshness.js';
import { KeysUnavailable, RemoteKeySet, staticKeySet } from '../../lib/verify/key-set.js';
import { readKeySet, type VerificationKey } from '../../lib/verify/verification-key.js';
import { deferred } from '../support/deferred.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { hang, type IssuerServer, json, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { createKey, ISSUER, jwkOf, jwksOf } from '../support/token-forge.js';

const [one, two] = [createKey('ES256', 'one'), createKey('ES256', 'two')];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let server: IssuerServer;
let clock: ManualClock;
let keys: RemoteKeySet;
const locate = jest.fn(async (_signal: AbortSignal) => new URL(server.jwksUri));

beforeEach(async () => {
  server = await serveIssuer(jwkOf(one));
  clock = createManualClock();
  locate.mockReset().mockImplementation(async () => new URL(server.jwksUri));
  keys = new RemoteKeySet({ issuer: ISSUER, clock, locate });
});
afterEach(() => server.close());

const fetches = () => server.asked.length;
const isFresh = () => keys.isFresh(instantOf(clock));

async function held(kid: string | undefined): Promise<VerificationKey> {
  const key = await keys.find(kid);
  if (key === undefined) throw new Error(`no key ${kid}`);
  return key;
}

/** Seconds to wait, as it is told to whoever asks. */
async function retryAfter(): Promise<number> {
  const fault = await keys.find('one').catch((error: unknown) => error);
  if (!(fault instanceof KeysUnavailable)) throw new Error('the keys are there');
  return fault.retryAfter;
}

describe('a static set', () => {
  const set = staticKeySet(readKeySet(jwksOf(one, two)));

  it('finds by kid alone, and is always fresh', async () => {
    expect((await set.find('two'))?.kid).toBe('two');
    expect([await set.find('three'), await set.find(undefined)]).toEqual([undefined, undefined]);
    expect(set.isFresh({ wall: 0, monotonic: 0 })).toBe(true);
  });

  it('of one key finds it without a kid too, and not by another kid', async () => {
    const only = staticKeySet(readKeySet(jwksOf(one)));
    expect([(await only.find(undefined))?.kid, await only.find('two')]).toEqual(['one', undefined]);
  });
});

describe('age', () => {
  it('fetches nothing before it is asked, and is not fresh then', async () => {
    expect([isFresh(), fetches()]).toEqual([false, 0]);
    await held('one');
    expect([isFresh(), fetches()]).toEqual([true, 1]);
  });

  it('below five minutes: no fetch', async () => {
    await held('one');
    clock.advance(5 * MINUTE - 1);
    await held('one');
    expect([isFresh(), fetches()]).toEqual([true, 1]);
  });

  it('from five minutes on: not fresh, and the fetch does not hold up who asks', async () => {
    const before = await held('one');
    const answer = deferred<void>();
    server.answer(async (req, res) => {
      await answer.promise;
      json(jwksOf(one))(req, res);
    });
    clock.advance(5 * MINUTE);
    expect(isFresh()).toBe(false);
    expect(await held('one')).toBe(before);
    expect(await held('one')).toBe(before);
    answer.resolve();
    await untilFresh();
    expect(fetches()).toBe(2);
  });

  it('just below ten minutes: nobody waits yet', async () => {
    await held('one');
    server.answer(hang);
    clock.advance(10 * MINUTE - 1);
    expect((await held('one')).kid).toBe('one');
  });

  it('from ten minutes on: who asks waits for the new set', async () => {
    await held('one');
    server.publish(jwkOf(two));
    clock.advance(10 * MINUTE);
    expect([await keys.find('one'), (await held('two')).kid, fetches()]).toEqual([undefined, 'two', 2]);
  });

  it.each([
    ['wall', (milliseconds: number) => clock.suspend(milliseconds)],
    ['monotonic', (milliseconds: number) => clock.advance(milliseconds)],
  ])('is told by the larger of both clocks: %s', async (name, move) => {
    await held('one');
    move(5 * MINUTE);
    if (name === 'monotonic') clock.setWall(-10 * MINUTE);
    expect(isFresh()).toBe(false);
  });
});

describe('an hour without an answer', () => {
  beforeEach(async () => {
    await held('one');
    server.answer(status(500));
  });

  it('is bridged by the last good set, to the millisecond', async () => {
    clock.advance(60 * MINUTE);
    expect((await held('one')).kid).toBe('one');
    clock.advance(1);
    expect(await retryAfter()).toBeGreaterThanOrEqual(1);
  });

  it('is bridged without a fetch for each request', async () => {
    clock.advance(20 * MINUTE);
    for (let request = 0; request < 10; request += 1) await held('one');
    expect(fetches()).toBe(2);
  });
});

describe('an issuer that is away', () => {
  beforeEach(async () => {
    await held('one');
    server.answer(status(500));
  });

  it('holds up one request, and no other after it', async () => {
    clock.advance(10 * MINUTE);
    await held('one');
    server.answer(hang);
    clock.advance(SECOND);
    expect((await held('one')).kid).toBe('one');
    await untilAsked(3);
  });

  it.each([
    ['less than a minute ago: nobody waits', MINUTE - 1, 'one'],
    ['a minute ago: who asks waits for the new set', MINUTE, undefined],
  ])('was found to be so %s', async (_name, ago, found) => {
    clock.advance(10 * MINUTE - ago);
    await keys.find('unknown');
    expect(fetches()).toBe(2);
    server.publish(jwkOf(two));
    clock.advance(ago);
    expect((await keys.find('one'))?.kid).toBe(found);
  });
});

describe('back-off', () => {
  beforeEach(() => server.answer(status(500)));

  it('doubles from one second to thirty, and is told to who asks', async () => {
    const pauses: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      const pause = await retryAfter();
      pauses.push(pause);
      clock.advance(pause * SECOND - 1);
      expect([await retryAfter(), fetches()]).toEqual([1, failure + 1]);
      clock.advance(1);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  it('is told in whole seconds, rounded up', async () => {
    for (const pause of [1, 2, 4]) {
      expect(await retryAfter()).toBe(pause);
      clock.advance(pause * SECOND);
    }
    await retryAfter();
    clock.advance(1);
    expect(await retryAfter()).toBe(8);
    clock.advance(SECOND - 1);
    expect(await retryAfter()).toBe(7);
  });

  it('begins anew after a success', async () => {
    for (const pause of [1, 2, 4]) {
      expect(await retryAfter()).toBe(pause);
      clock.advance(pause * SECOND);
    }
    server.publish(jwkOf(one));
    await held('one');
    server.answer(status(500));
    clock.advance(60 * MINUTE + 1);
    expect(await retryAfter()).toBe(1);
  });

  it('makes those who ask at once wait for one fetch', async () => {
    const faults = await Promise.all([retryAfter(), retryAfter(), retryAfter()]);
    expect([faults, fetches()]).toEqual([[1, 1, 1], 1]);
  });
});

describe('an unknown kid', () => {
  it('makes one fetch in thirty seconds', async () => {
    await held('one');
    for (const wait of [0, 1, 30 * SECOND - 2]) {
      clock.advance(wait);
      expect(await keys.find('two')).toBeUndefined();
      expect(fetches()).toBe(2);
    }
    clock.advance(1);
    server.publish(jwkOf(one), jwkOf(two));
    expect([(await held('two')).kid, fetches()]).toEqual(['two', 3]);
  });

  it('makes none right after the set was fetched for it', async () => {
    expect(await keys.find('two')).toBeUndefined();
    expect(fetches()).toBe(1);
  });

  it('makes none during a back-off', async () => {
    await held('one');
    server.answer(status(500));
    clock.advance(5 * MINUTE);
    await held('one');
    await untilFetched(2);
    expect([await keys.find('two'), fetches()]).toEqual([undefined, 2]);
  });

  it.each([
    ['for another unknown kid', 0],
    ['because the set has come of age', 5 * MINUTE],
  ])('joins the fetch that is under way %s', async (_name, age) => {
    await held('one');
    server.publish(jwkOf(one), jwkOf(two));
    clock.advance(age);
    const found = await Promise.all([keys.find('one'), keys.find('two'), keys.find('two')]);
    expect([found.map((key) => key?.kid), fetches()]).toEqual([['one', 'two', 'two'], 2]);
  });

  it('is nobody, where a kid is missing and there are several keys', async () => {
    expect((await held(undefined)).kid).toBe('one');
    server.publish(jwkOf(one), jwkOf(two));
    clock.advance(10 * MINUTE);
    expect(await keys.find(undefined)).toBeUndefined();
  });
});

describe('a new set', () => {
  it('keeps the keys that are in both, and withdraws the others', async () => {
    server.publish(jwkOf(one), jwkOf(two));
    const [first, second] = [await held('one'), await held('two')];
    const third = createKey('ES256', 'three');
    server.publish(jwkOf(third), jwkOf(one));
    clock.advance(10 * MINUTE);
    expect(await held('one')).toBe(first);
    expect([first.withdrawn, second.withdrawn, (await held('three')).withdrawn]).toEqual([false, true, false]);
  });

  it('with other material for a kid withdraws the old key', async () => {
    const old = await held('one');
    server.publish(jwkOf(createKey('ES256', 'one')));
    clock.advance(10 * MINUTE);
    expect([(await held('one')) === old, old.withdrawn]).toEqual([false, true]);
  });
});

describe('where the set is', () => {
  it('is found once, and anew when the set has come of age, since it may have moved', async () => {
    await held('one');
    await keys.find('unknown');
    expect([locate.mock.calls.length, fetches()]).toEqual([1, 2]);
    clock.advance(10 * MINUTE);
    await held('one');
    expect([locate.mock.calls.length, fetches()]).toEqual([2, 3]);
  });

  it('is asked with the signal that ends the fetch too, after two seconds', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    await held('one');
    expect(timeout.mock.calls).toEqual([[2_000]]);
    expect(locate.mock.calls).toEqual([[timeout.mock.results[0]?.value]]);
    timeout.mockRestore();
  });
});

describe('events', () => {
  async function heardOf(act: () => Promise<unknown>) {
    const events = eavesdrop();
    await act();
    const heard = events.heard<KeySetChange>('keyward:key-set');
    events.stop();
    return heard;
  }
  const loaded = { issuer: ISSUER, outcome: 'loaded', reason: undefined };

  it('tell of a set that was loaded, and how many keys went', async () => {
    expect(await heardOf(() => held('one'))).toEqual([{ ...loaded, keys: 1, withdrawn: 0 }]);
    server.publish(jwkOf(two), jwkOf(createKey('ES256', 'three')));
    clock.advance(10 * MINUTE);
    expect(await heardOf(() => held('two'))).toEqual([{ ...loaded, keys: 2, withdrawn: 1 }]);
  });

  it.each([
    ['failed', () => server.answer(status(500)), 'status 500'],
    ['refused', () => server.answer(json({ keys: [] })), 'no usable key'],
    ['refused', () => server.answer(json([])), 'no JWK Set'],
  ])('tell of a set that was not taken: %s', async (outcome, prepare, reason) => {
    prepare();
    const expected = { issuer: ISSUER, outcome, reason, keys: 0, withdrawn: 0 };
    expect(await heardOf(retryAfter)).toEqual([expected]);
  });

  it('do not quote an error that is not of the house', async () => {
    locate.mockRejectedValue(new Error('https://user:secret@issuer.test'));
    const expected = { issuer: ISSUER, outcome: 'failed', reason: 'failed', keys: 0, withdrawn: 0 };
    expect(await heardOf(retryAfter)).toEqual([expected]);
  });
});

it('KeysUnavailable says nothing of the issuer', () => {
  expect({ ...new KeysUnavailable(7) }).toEqual({ name: 'KeysUnavailable', retryAfter: 7 });
  expect(new KeysUnavailable(7).message).toBe('the keys of the issuer cannot be had');
});

/** Real time, until a fetch in the background has ended. */
async function untilFresh(): Promise<void> {
  while (!isFresh()) await new Promise((resolve) => setImmediate(resolve));
}

async function untilAsked(count: number): Promise<void> {
  while (fetches() < count) await new Promise((resolve) => setImmediate(resolve));
}

async function untilFetched(count: number): Promise<void> {
  const events = eavesdrop();
  while (fetches() < count || events.heard('keyward:key-set').length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  events.stop();
}
