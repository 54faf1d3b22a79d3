import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysUnavailableError, staticKeySet } from '../../../lib/tokens/jwks/key-set.js';
import { readKeySet } from '../../../lib/tokens/jwks/verification-key.js';
import { deferred } from '../../support/deferred.js';
import { type FetchedKeys, serveKeys } from '../../support/fetched-keys.js';
import { hang, json, status } from '../../support/issuer-server.js';
import { createKey, jwkOf, jwksOf } from '../../support/token-forge.js';

const [one, two] = [createKey('ES256', 'one'), createKey('ES256', 'two')];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let issuer: FetchedKeys;
beforeEach(async () => {
  issuer = await serveKeys(jwkOf(one));
});
afterEach(() => issuer.close());

describe('a static set', () => {
  it('finds keys only by kid, and is always fresh', async () => {
    const set = staticKeySet(readKeySet(jwksOf(one, two)));
    expect((await set.find('two'))?.kid).toBe('two');
    expect([await set.find('three'), await set.find(undefined)]).toEqual([undefined, undefined]);
    expect(set.isFresh({ wall: 0, monotonic: 0 })).toBe(true);
  });

  it('of one key finds it also without a kid, but not by another kid', async () => {
    const only = staticKeySet(readKeySet(jwksOf(one)));
    expect([(await only.find(undefined))?.kid, await only.find('two')]).toEqual(['one', undefined]);
  });
});

describe('age', () => {
  it('fetches nothing before the first request, and is not fresh then', async () => {
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

  it('from five minutes on: not fresh, and requests do not wait for the fetch', async () => {
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

  it('just below ten minutes: requests do not wait', async () => {
    await issuer.held('one');
    issuer.server.answer(hang);
    issuer.clock.advance(10 * MINUTE - 1);
    expect(await issuer.atOnce('one')).toMatchObject({ kid: 'one' });
  });

  it('from ten minutes on: requests wait for the new set', async () => {
    await issuer.held('one');
    issuer.server.publish(jwkOf(two));
    issuer.clock.advance(10 * MINUTE);
    expect(await issuer.keys.find('one')).toBeUndefined();
    expect((await issuer.held('two')).kid).toBe('two');
    expect(issuer.fetches()).toBe(2);
  });

  it('is measured by the wall clock if the monotonic clock stood still', async () => {
    await issuer.held('one');
    issuer.clock.suspend(5 * MINUTE);
    expect(issuer.isFresh()).toBe(false);
  });

  it('is measured by the monotonic clock if the wall clock was set back', async () => {
    await issuer.held('one');
    issuer.clock.advance(5 * MINUTE);
    issuer.clock.setWall(-10 * MINUTE);
    expect(issuer.isFresh()).toBe(false);
  });
});

describe('an hour without a response', () => {
  beforeEach(async () => {
    await issuer.held('one');
    issuer.server.answer(status(500));
  });

  it('the last valid set is used, to the millisecond', async () => {
    issuer.clock.advance(60 * MINUTE);
    expect((await issuer.held('one')).kid).toBe('one');
    issuer.clock.advance(1);
    expect(await issuer.retryAfter()).toBeGreaterThanOrEqual(1);
  });

  it('the last valid set is used without a fetch for each request', async () => {
    issuer.clock.advance(20 * MINUTE);
    for (let request = 0; request < 10; request += 1) await issuer.held('one');
    expect(issuer.fetches()).toBe(2);
  });
});

describe('an issuer that cannot be reached', () => {
  beforeEach(async () => {
    await issuer.held('one');
    issuer.server.answer(status(500));
  });

  it('delays one request, and no later one', async () => {
    issuer.clock.advance(10 * MINUTE);
    await issuer.held('one');
    issuer.server.answer(hang);
    issuer.clock.advance(SECOND);
    expect(await issuer.atOnce('one')).toMatchObject({ kid: 'one' });
  });

  it('delays no request while the last valid set can be used', async () => {
    issuer.clock.advance(59 * MINUTE + SECOND);
    await issuer.held('one');
    issuer.server.answer(hang);
    issuer.clock.advance(59 * SECOND);
    expect(await issuer.atOnce('one')).toMatchObject({ kid: 'one' });
  });

  it.each([
    ['less than a minute ago: nobody waits', MINUTE - 1, 'one'],
    ['a minute ago: who asks waits for the new set', MINUTE, undefined],
  ])('was found unreachable %s', async (_name, ago, found) => {
    issuer.clock.advance(10 * MINUTE - ago);
    await expect(issuer.keys.find('unknown')).rejects.toThrow(KeysUnavailableError);
    expect(issuer.fetches()).toBe(2);
    issuer.server.publish(jwkOf(two));
    issuer.clock.advance(ago);
    expect((await issuer.keys.find('one'))?.kid).toBe(found);
  });
});

describe('back-off', () => {
  beforeEach(() => issuer.server.answer(status(500)));

  it('doubles from one second to ten, and is in retryAfter', async () => {
    const pauses: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      const pause = await issuer.retryAfter();
      pauses.push(pause);
      issuer.clock.advance(pause * SECOND - 1);
      expect([await issuer.retryAfter(), issuer.fetches()]).toEqual([1, failure + 1]);
      issuer.clock.advance(1);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 10, 10, 10, 10]);
  });

  it('is given in whole seconds, rounded up', async () => {
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

  it('starts again after a success', async () => {
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

  it('concurrent requests wait for one fetch', async () => {
    const faults = await Promise.all([issuer.retryAfter(), issuer.retryAfter(), issuer.retryAfter()]);
    expect([faults, issuer.fetches()]).toEqual([[1, 1, 1], 1]);
  });
});

it('KeysUnavailableError contains nothing about the issuer', () => {
  expect({ ...new KeysUnavailableError(7) }).toEqual({
    name: 'KeysUnavailableError',
    code: 'keys_unavailable',
    retryAfter: 7,
  });
  expect(new KeysUnavailableError(7).message).toBe('the keys of the issuer cannot be fetched');
});

/** Real time, until a fetch in the background has ended. */
async function untilFresh(): Promise<void> {
  while (!issuer.isFresh()) await new Promise((resolve) => setImmediate(resolve));
}
