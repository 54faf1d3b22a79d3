import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysUnavailable, staticKeySet } from '../../lib/verify/key-set.js';
import { readKeySet } from '../../lib/verify/verification-key.js';
import { deferred } from '../support/deferred.js';
import { type FetchedKeys, serveKeys } from '../support/fetched-keys.js';
import { hang, json, status } from '../support/issuer-server.js';
import { createKey, jwkOf, jwksOf } from '../support/token-forge.js';

const [one, two] = [createKey('ES256', 'one'), createKey('ES256', 'two')];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let issuer: FetchedKeys;
beforeEach(async () => {
  issuer = await serveKeys(jwkOf(one));
});
afterEach(() => issuer.close());

describe('a static set', () => {
  it('finds by kid alone, and is always fresh', async () => {
    const set = staticKeySet(readKeySet(jwksOf(one, two)));
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
    expect([issuer.isFresh(), issuer.fetches()]).toEqual([false, 0]);
    await issuer.held('one');
    expect([issuer.isFresh(), issuer.fetches()]).toEqual([true, 1]);
  });

  it('below five minutes: no fetch', async () => {
    await issuer.held('one');
    issuer.clock.advance(5 * MINUTE - 1);
    await issuer.held('one');
    expect([issuer.isFresh(), issuer.fetches()]).toEqual([true, 1]);
  });

  it('from five minutes on: not fresh, and the fetch does not hold up who asks', async () => {
    const before = await issuer.held('one');
    const answer = deferred<void>();
    issuer.server.answer(async (req, res) => {
      await answer.promise;
      json(jwksOf(one))(req, res);
    });
    issuer.clock.advance(5 * MINUTE);
    expect(issuer.isFresh()).toBe(false);
    expect([await issuer.atOnce('one'), await issuer.atOnce('one')]).toEqual([before, before]);
    answer.resolve();
    await untilFresh();
    expect(issuer.fetches()).toBe(2);
  });

  it('just below ten minutes: nobody waits yet', async () => {
    await issuer.held('one');
    issuer.server.answer(hang);
    issuer.clock.advance(10 * MINUTE - 1);
    expect(await issuer.atOnce('one')).toMatchObject({ kid: 'one' });
  });

  it('from ten minutes on: who asks waits for the new set', async () => {
    await issuer.held('one');
    issuer.server.publish(jwkOf(two));
    issuer.clock.advance(10 * MINUTE);
    expect(await issuer.keys.find('one')).toBeUndefined();
    expect((await issuer.held('two')).kid).toBe('two');
    expect(issuer.fetches()).toBe(2);
  });

  it('is told by the wall clock where the other one stood still', async () => {
    await issuer.held('one');
    issuer.clock.suspend(5 * MINUTE);
    expect(issuer.isFresh()).toBe(false);
  });

  it('is told by the monotonic clock where the other one was set back', async () => {
    await issuer.held('one');
    issuer.clock.advance(5 * MINUTE);
    issuer.clock.setWall(-10 * MINUTE);
    expect(issuer.isFresh()).toBe(false);
  });
});

describe('an hour without an answer', () => {
  beforeEach(async () => {
    await issuer.held('one');
    issuer.server.answer(status(500));
  });

  it('is bridged by the last good set, to the millisecond', async () => {
    issuer.clock.advance(60 * MINUTE);
    expect((await issuer.held('one')).kid).toBe('one');
    issuer.clock.advance(1);
    expect(await issuer.retryAfter()).toBeGreaterThanOrEqual(1);
  });

  it('is bridged without a fetch for each request', async () => {
    issuer.clock.advance(20 * MINUTE);
    for (let request = 0; request < 10; request += 1) await issuer.held('one');
    expect(issuer.fetches()).toBe(2);
  });
});

describe('an issuer that is away', () => {
  beforeEach(async () => {
    await issuer.held('one');
    issuer.server.answer(status(500));
  });

  it('holds up one request, and no other after it', async () => {
    issuer.clock.advance(10 * MINUTE);
    await issuer.held('one');
    issuer.server.answer(hang);
    issuer.clock.advance(SECOND);
    expect(await issuer.atOnce('one')).toMatchObject({ kid: 'one' });
  });

  it('holds up nobody for as long as the last good set may serve', async () => {
    issuer.clock.advance(59 * MINUTE + SECOND);
    await issuer.held('one');
    issuer.server.answer(hang);
    issuer.clock.advance(59 * SECOND);
    expect(await issuer.atOnce('one')).toMatchObject({ kid: 'one' });
  });

  it.each([
    ['less than a minute ago: nobody waits', MINUTE - 1, 'one'],
    ['a minute ago: who asks waits for the new set', MINUTE, undefined],
  ])('was found to be so %s', async (_name, ago, found) => {
    issuer.clock.advance(10 * MINUTE - ago);
    await issuer.keys.find('unknown');
    expect(issuer.fetches()).toBe(2);
    issuer.server.publish(jwkOf(two));
    issuer.clock.advance(ago);
    expect((await issuer.keys.find('one'))?.kid).toBe(found);
  });
});

describe('back-off', () => {
  beforeEach(() => issuer.server.answer(status(500)));

  it('doubles from one second to thirty, and is told to who asks', async () => {
    const pauses: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      const pause = await issuer.retryAfter();
      pauses.push(pause);
      issuer.clock.advance(pause * SECOND - 1);
      expect([await issuer.retryAfter(), issuer.fetches()]).toEqual([1, failure + 1]);
      issuer.clock.advance(1);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  it('is told in whole seconds, rounded up', async () => {
    for (const pause of [1, 2, 4]) {
      expect(await issuer.retryAfter()).toBe(pause);
      issuer.clock.advance(pause * SECOND);
    }
    await issuer.retryAfter();
    issuer.clock.advance(1);
    expect(await issuer.retryAfter()).toBe(8);
    issuer.clock.advance(SECOND - 1);
    expect(await issuer.retryAfter()).toBe(7);
  });

  it('begins anew after a success', async () => {
    for (const pause of [1, 2, 4]) {
      expect(await issuer.retryAfter()).toBe(pause);
      issuer.clock.advance(pause * SECOND);
    }
    issuer.server.publish(jwkOf(one));
    await issuer.held('one');
    issuer.server.answer(status(500));
    issuer.clock.advance(60 * MINUTE + 1);
    expect(await issuer.retryAfter()).toBe(1);
  });

  it('makes those who ask at once wait for one fetch', async () => {
    const faults = await Promise.all([issuer.retryAfter(), issuer.retryAfter(), issuer.retryAfter()]);
    expect([faults, issuer.fetches()]).toEqual([[1, 1, 1], 1]);
  });
});

it('KeysUnavailable says nothing of the issuer', () => {
  expect({ ...new KeysUnavailable(7) }).toEqual({ name: 'KeysUnavailable', retryAfter: 7 });
  expect(new KeysUnavailable(7).message).toBe('the keys of the issuer cannot be had');
});

/** Real time, until a fetch in the background has ended. */
async function untilFresh(): Promise<void> {
  while (!issuer.isFresh()) await new Promise((resolve) => setImmediate(resolve));
}
